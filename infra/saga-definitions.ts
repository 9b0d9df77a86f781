import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SagaName } from '../lambdas/saga-names.js';

/** Where definitions come from; `undefined` when the deployment goes without one. */
export type SagaDefinitions = (saga: SagaName) => unknown;

/** @throws {Error} when a definition is missing and may not be */
export function writtenDefinitions(
  root: string,
  { allowMissing }: { allowMissing: boolean },
): SagaDefinitions {
  return (saga) => {
    const file = join(root, 'state-machines', saga, 'definition.asl.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
    if (allowMissing) return undefined;
    throw new Error(`state-machines/${saga}/definition.asl.json is missing`);
  };
}
