import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** A place of the sources with an operator that is replaced there, and tests that must notice. */
export const Mutant = z.object({
  file: z.string(),
  /** When it was chosen; the place is found again by the text of the line. */
  line: z.int(),
  text: z.string(),
  column: z.int(),
  from: z.string(),
  to: z.string(),
  tests: z.array(z.string()),
});
export type Mutant = z.infer<typeof Mutant>;

export const samplePath = 'test/mutants/sample.json';

export function readSample(root: string): readonly Mutant[] {
  return z.array(Mutant).parse(JSON.parse(readFileSync(join(root, samplePath), 'utf8')));
}

export const nameOf = ({ file, line, from, to }: Mutant): string =>
  `${file}:${line} ${from.trim()} becomes ${to.trim()}`;

/** The source with the operator replaced, or nothing when its line is gone. */
export function mutated(source: string, { line, text, column, from, to }: Mutant): string | undefined {
  const lines = source.split('\n');
  const same = lines.flatMap((other, index) => (other.trim() === text ? [index] : []));
  const [nearest] = same.toSorted((a, b) => Math.abs(a + 1 - line) - Math.abs(b + 1 - line));
  if (nearest === undefined) return undefined;
  const before = lines[nearest] ?? '';
  const at = before.length - before.trimStart().length + column;
  if (!before.startsWith(from, at)) return undefined;
  return lines.with(nearest, before.slice(0, at) + to + before.slice(at + from.length)).join('\n');
}
