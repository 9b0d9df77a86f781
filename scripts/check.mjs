// npm run check: what a commit must pass. Every part runs, so that one run tells everything; any failure fails it.
// With --without-tests the unit tests are left out, for who runs all tests anyway.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installOrLeave } from './install.mjs';
import { root, run } from './run.mjs';

const parts = [
  ['Format and lint', 'biome', ['ci', '.']],
  ['Types', 'tsc', ['--noEmit']],
  ['Types of the console', 'tsc', ['--noEmit', '-p', 'web'], 'web/tsconfig.json'],
  ...(process.argv.includes('--without-tests')
    ? []
    : [['Unit tests', 'vitest', ['run', '--project', 'unit']]]),
  ['Functions', 'tsx', ['scripts/build-lambdas.ts']],
  [
    'Synth, with cdk-nag',
    'cdk',
    ['synth', '--quiet', '--strict', '--context', 'superadmins=1001', '--output', '.cache/cdk.out'],
  ],
  ['OpenAPI documents', 'tsx', ['scripts/lint-openapi.ts']],
  ['Node image', 'tsx', ['scripts/check-image.ts']],
  ['Interface coverage', 'tsx', ['scripts/interface-coverage.ts', '--check']],
  ['Types of the client', 'tsx', ['scripts/client-types.ts', '--check']],
  ['Client', 'tsc', ['-p', 'client']],
  ['Tables of the agent', 'tsx', ['scripts/agent-pages.ts', '--check']],
];

await installOrLeave(root);
const failed = [];
for (const [title, tool, args, onlyWith] of parts) {
  if (onlyWith && !existsSync(join(root, onlyWith))) continue;
  console.log(`\n== ${title}`);
  if ((await run(tool, args)) !== 0) failed.push(title);
}
console.log(failed.length === 0 ? '\nEverything is in order.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
