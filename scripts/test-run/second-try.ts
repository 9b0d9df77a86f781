import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileOutcome, Outcome } from './outcome.js';

/** Rings that wait for processes, containers and browsers. */
const slowRings = new Set(['integration', 'clouds', 'e2e', 'e2e-alone']);
/** Files, as a test that fails often fails those after it in its file. */
export const mostSecondTries = 3;

/** A checker's violation and an attack that works are facts, also when they do not repeat. */
export function isFinal(file: string, root: string): boolean {
  if (/^test\/(?:adversary|nemesis|integration\/nemesis)\//.test(file)) return true;
  return /from '[^']*\/nemesis\//.test(readFileSync(join(root, file), 'utf8'));
}

export interface Plan {
  /** Files to run once more, alone. */
  readonly files: readonly FileOutcome[];
  /** Why none runs again although tests failed that could have. */
  readonly refusal?: string;
}

export function planSecondTry(first: Outcome, root: string): Plan {
  const files = first.files.filter(
    ({ ring, file, failures }) =>
      failures.length > 0 &&
      slowRings.has(ring) &&
      !failures.some((failure) => failure.isFinal) &&
      !isFinal(file, root),
  );
  if (files.length <= mostSecondTries) return { files };
  return {
    files: [],
    refusal: `Tests of ${files.length} files failed in rings with a second try. More than ${mostSecondTries} in one run are not tried again.`,
  };
}
