import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunLedger } from './run-ledger.js';

it('ends what a killed run left, and never the process that asks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-ledger-'));
  try {
    const ledger = new RunLedger(folder);
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const ended = once(orphan, 'exit');
    await once(orphan, 'spawn');
    ledger.record('orphan', orphan.pid ?? 0);
    ledger.record('main', process.pid);

    const names = await ledger.endOrphans();

    await ended;
    expect(names).toEqual(['orphan']);
    expect(ledger.running('main')?.pid).toBe(process.pid);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
