import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { raiseTools } from './tool-scores.js';

it('raises what a coding agent runs through a shell, and nothing else', () => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  const processes = [
    [1, 'tini', 0, 500],
    [2, 'sh', 1, 500],
    // A script that starts the coding agent.
    [10, 'sh', 0, 600],
    [11, 'node (acp) 1', 10, 600],
    [12, 'claude', 11, 600],
    [13, 'bash', 12, 600],
    [14, 'make', 13, 600],
    [15, 'rg', 12, 600],
    // Of an earlier time.
    [16, 'cc1plus', 14, 700],
    // A terminal.
    [20, 'bash', 0, 500],
    [21, 'node', 20, 500],
  ] as const;
  for (const [pid, name, parent, score] of processes) {
    mkdirSync(join(proc, String(pid)));
    writeFileSync(join(proc, String(pid), 'oom_score_adj'), `${score}\n`);
    writeFileSync(join(proc, String(pid), 'stat'), `${pid} (${name}) S ${parent} 1 1 0`);
  }

  raiseTools([...processes.map(([pid]) => pid), 99], proc);

  const raised = processes.filter(
    ([pid, , , before]) => Number(readFileSync(join(proc, String(pid), 'oom_score_adj'))) !== before,
  );
  expect(raised.map(([, name]) => name)).toEqual(['bash', 'make']);
});
