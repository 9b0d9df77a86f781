// npm run check: the checks that a commit must pass. All parts run, also after a failure, so one
// run reports every problem. --without-tests skips the unit tests, for a run of `npm test` that
// includes them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installOrLeave } from './install.mjs';
import { cfnLint, installPythonToolOrLeave } from './install-python-tool.mjs';
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
  ['Templates and state machines', 'tsx', ['scripts/lint-templates.ts']],
  ['OpenAPI documents', 'tsx', ['scripts/lint-openapi.ts']],
  ['Node image', 'tsx', ['scripts/check-image.ts']],
  ['Generated files', 'tsx', ['scripts/generate.ts', '--check']],
  ['Client', 'tsc', ['-p', 'client']],
];

await installOrLeave(root);
await installPythonToolOrLeave(root, cfnLint);
const failed = [];
for (const [title, tool, args, onlyWith] of parts) {
  if (onlyWith && !existsSync(join(root, onlyWith))) continue;
  console.log(`\n== ${title}`);
  if ((await run(tool, args)) !== 0) failed.push(title);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
