import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './recorded-calls.js';

const reviewed = new Set(
  readFileSync(join(import.meta.dirname, 'unused-grants.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
);

/**
 * Prints what the end-to-end tests prove of IAM, and marks unused grants that nobody has reviewed.
 * They do not fail the run: a run of some files does not use each grant.
 *
 * @throws {Error} a call was denied
 */
export function reportGrants(callsFile: string): void {
  const { calls, functions, denied, unused } = judge(callsFile);
  console.log(`\nIAM: ${calls} distinct calls of ${functions} functions, ${denied.length} denied.`);
  console.log(`Grants of these functions that nothing used: ${unused.length}`);
  for (const grant of unused) console.log(`  ${grant}${reviewed.has(grant) ? '' : '  (not reviewed)'}`);
  if (denied.length > 0) throw new Error(`IAM would deny these calls:\n${denied.join('\n')}`);
}
