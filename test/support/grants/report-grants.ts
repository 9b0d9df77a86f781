import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { judge } from './recorded-calls.js';

const reviewed = new Set(
  readFileSync(join(import.meta.dirname, 'unused-grants.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
);

const listFile = '.cache/unused-grants.txt';

/**
 * Prints what the end-to-end tests prove of IAM, and writes a file of unused grants that marks
 * those nobody has reviewed. They do not fail the run: a run of some files does not use each grant.
 *
 * @throws {Error} a call was denied
 */
export function reportGrants(callsFile: string): void {
  const { calls, functions, denied, unused } = judge(callsFile);
  console.log(`\nIAM: ${calls} distinct calls of ${functions} functions, ${denied.length} denied.`);
  console.log(`Grants of these functions that nothing used: ${unused.length} (${listFile})`);
  const lines = unused.map((grant) => `${grant}${reviewed.has(grant) ? '' : '  (not reviewed)'}\n`);
  mkdirSync(dirname(listFile), { recursive: true });
  writeFileSync(listFile, lines.join(''));
  if (denied.length > 0) throw new Error(`IAM would deny these calls:\n${denied.join('\n')}`);
}
