// npm run test:e2e: the tests of deployed clouds. With --keep, the cloud of the end-to-end tests
// stays and the next run with --keep uses it as it is; --end ends it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { installOrLeave } from './install.mjs';
import { root, run, withNode } from './run.mjs';
import { leave, Stop, step } from './step.mjs';

const path = join(root, '.cache/kept-cloud.json');
const log = join(root, '.cache/kept-cloud.log');
const args = process.argv.slice(2).filter((arg) => arg !== '--keep');
const endToEnd = ['--project', 'e2e', '--project', 'e2e-alone'];
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));

/** The cloud that stays, if its process runs. */
function kept() {
  if (!existsSync(path)) return undefined;
  const state = JSON.parse(readFileSync(path, 'utf8'));
  if (isAlive(state.pid)) return state;
  rmSync(path);
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function keep() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const output = openSync(log, 'w');
  const child = spawn(join(root, 'node_modules/.bin/tsx'), [join(root, 'test/support/keep-cloud.ts'), path], {
    cwd: root,
    env: withNode(),
    detached: true,
    stdio: ['ignore', output, output],
  });
  child.unref();
  while (!kept()) {
    if (child.exitCode !== null) throw new Stop(`The cloud did not start. Read ${relative(root, log)}.`);
    await pause();
  }
  return kept();
}

async function end() {
  const state = kept();
  if (!state) return console.log('No cloud is kept.');
  process.kill(state.pid);
  await step('Ending the kept cloud', async () => {
    while (isAlive(state.pid)) await pause();
  });
}

async function testOnKept() {
  const state = kept() ?? (await step('Starting a cloud that stays', keep));
  console.log(`  Console: ${state.cloud.url}\n  To end it: npm run test:e2e -- --end`);
  const env = { ...process.env, BERTH_KEPT_CLOUD: path };
  return run('vitest', ['run', ...endToEnd, ...args], env);
}

try {
  const isEnd = args.includes('--end');
  if (!isEnd) await installOrLeave(root);
  if (isEnd) await end();
  else if (process.argv.includes('--keep')) process.exitCode = await testOnKept();
  else process.exitCode = await run('vitest', ['run', ...endToEnd, '--project', 'clouds', ...args]);
} catch (error) {
  leave(error);
}
