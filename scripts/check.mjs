// npm run check: the checks that a commit must pass. All parts run, also after a failure, so one
// run reports every problem. Those of the deployment run beside those of the sources, as most use
// one core, and each prints its output when it ends. --without-tests skips the unit tests, for a
// run of `npm test` that includes them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installOrLeave } from './install.mjs';
import { cfnLint, installPythonToolOrLeave } from './install-python-tool.mjs';
import { root, withNode } from './run.mjs';

/** The templates are synthesised with the functions. What passed once is not repeated. */
const deployment = [
  ['Functions', 'tsx', ['scripts/build.ts', 'lambdas']],
  ['Synth, with cdk-nag', 'tsx', ['scripts/synth.ts']],
  ['Templates and state machines', 'tsx', ['scripts/lint-templates.ts']],
];
const sources = [
  ['Format and lint', 'biome', ['ci', '.']],
  ['Types', 'tsc', incremental('root')],
  ['Types of the console', 'tsc', [...incremental('web'), '-p', 'web']],
  ['OpenAPI documents', 'tsx', ['scripts/lint-openapi.ts']],
  ['Node image', 'tsx', ['scripts/check-image.ts']],
  ['Generated files', 'tsx', ['scripts/generate.ts', '--check']],
  ['Client', 'tsx', ['scripts/build.ts', 'client']],
];
const tests = [['Unit tests', 'vitest', ['run', '--project', 'unit']]];

await installOrLeave(root);
await installPythonToolOrLeave(root, cfnLint);
const failed = [];
await Promise.all([deployment, sources].map(check));
if (!process.argv.includes('--without-tests')) await check(tests);
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function check(parts) {
  for (const [title, tool, args] of parts) {
    const began = performance.now();
    const { code, output } = await outputOf(tool, args);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stdout.write(`\n== ${title} (${seconds} s)\n${output}`);
    if (code !== 0) failed.push(title);
  }
}

/** Only what changed since the last check is checked again. */
function incremental(name) {
  return ['--noEmit', '--incremental', '--tsBuildInfoFile', `.cache/types/${name}.tsbuildinfo`];
}

/** The child has the process group of this process, so Ctrl-C ends it too. */
function outputOf(tool, args) {
  const child = spawn(join(root, 'node_modules/.bin', tool), args, { cwd: root, env: withNode() });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
