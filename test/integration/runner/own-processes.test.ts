import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ownProcesses } from '../../support/runner/leftovers/own-processes.js';
import { until } from '../../support/until.js';

const folderNamed = (name: string) => mkdtempSync(join(tmpdir(), name));
const mine = folderNamed('mine-');
const other = folderNamed('other-');
/** No process has it, so nothing is found by descent. */
const noWorker = -1;
const started: ChildProcess[] = [];

function sleep(options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string }): ChildProcess {
  const child = spawn('sleep', ['600'], { cwd: '/', env: {}, stdio: 'ignore', ...options });
  started.push(child);
  return child;
}

const pidsOf = (worker: number, folder: string) => ownProcesses(worker, folder).map(({ pid }) => pid);

afterEach(async () => {
  for (const child of started.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

describe('the processes of a test file', () => {
  it.each([
    ['environment', { env: { TMPDIR: mine } }],
    ['working folder', { cwd: mine }],
  ])('are found by its temporary folder in their %s, and are no other file’s', async (_, options) => {
    const { pid } = sleep(options);

    await until('the process', () => pidsOf(noWorker, mine).includes(Number(pid)) || undefined);
    expect(pidsOf(noWorker, other)).not.toContain(pid);
  });

  it('are found by their descent', async () => {
    const { pid } = sleep({});

    await until('the process', () => pidsOf(process.pid, other).includes(Number(pid)) || undefined);
    expect(pidsOf(noWorker, other)).not.toContain(pid);
  });
});
