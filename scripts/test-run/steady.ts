// npm run test:steady -- [--runs 5] [--minutes 60] [--only pattern]: the slow rings in random
// order, beside two processes that burn a core each. Each run is bounded in time.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { root, run, withNode } from '../run.mjs';
import { newRunFolder } from './run-folder.js';
import { type SteadyOptions, steadyOptions } from './steady-options.js';

const burners = 2;
const rings = ['integration', 'clouds', 'e2e', 'e2e-alone'].flatMap((ring) => ['--project', ring]);
const options = steadyOptions(process.argv.slice(2));

const built = await run('tsx', ['scripts/build.ts']);
if (built !== 0) process.exit(built);
const load = Array.from({ length: burners }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.once('exit', () => load.forEach((burner) => void burner.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const rows: string[] = [];
for (let index = 1; index <= options.runs; index++) rows.push(await steadyRun(index, options));
console.log(
  `\n| Date | Commit | Run | Minutes | Load | Second tries | Result |\n|---|---|---|---|---|---|---|`,
);
console.log(rows.join('\n'));
process.exit(rows.every((row) => row.endsWith('green |')) ? 0 : 1);

async function steadyRun(index: number, { minutes, only }: SteadyOptions): Promise<string> {
  const began = Date.now();
  const folder = newRunFolder(root);
  const order = ['--sequence.shuffle.files', '--sequence.seed', String(began)];
  const child = spawn(
    join(root, 'node_modules/.bin/tsx'),
    ['scripts/test-run/main.ts', '--without-build', ...rings, ...order, ...(only ? [only] : [])],
    { cwd: root, env: { ...withNode(), BERTH_TEST_RUN: folder }, stdio: 'inherit', detached: true },
  );
  const limit = setTimeout(() => endGroup(child), minutes * 60_000);
  process.once('exit', () => endGroup(child));
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  return record({ index, began, result: resultOf(folder, code) });
}

/** With all that it started: a run that hangs does not end by itself. */
function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Result {
  readonly isGreen: boolean;
  readonly secondTries: number;
}

function resultOf(folder: string, code: unknown): Result {
  const path = join(folder, 'report.json');
  if (code !== 0 && !existsSync(path)) return { isGreen: false, secondTries: 0 };
  const Report = z.object({ secondTries: z.array(z.unknown()) });
  const { secondTries } = Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  return { isGreen: code === 0, secondTries: secondTries.length };
}

/** A row of docs/testing.md. */
function record({ index, began, result }: { index: number; began: number; result: Result }): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  const cells = [
    new Date(began).toISOString().slice(0, 16),
    commit,
    `${index} of ${options.runs}`,
    minutes,
    loadavg()[0]?.toFixed(1),
    result.secondTries,
    result.isGreen ? 'green' : 'red',
  ];
  const row = `| ${cells.join(' | ')} |`;
  mkdirSync(join(root, '.cache'), { recursive: true });
  appendFileSync(join(root, '.cache/steady.md'), `${row}\n`);
  return row;
}
