import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SocketOwners } from './socket-owners.js';

const proc = () => mkdtempSync(join(tmpdir(), 'proc-'));

function open(folder: string, pid: number, ...targets: string[]): void {
  const fds = join(folder, String(pid), 'fd');
  mkdirSync(fds, { recursive: true });
  for (const [index, target] of targets.entries()) symlinkSync(target, join(fds, String(index)));
}

/** Counts requests for processes. */
function processes(entries: readonly (readonly [string, readonly number[]])[]) {
  const counted = { count: 0 };
  const find = async () => {
    counted.count += 1;
    return new Map(entries);
  };
  return { counted, find };
}

const lazy = { mustSearch: false };

it('finds the workspace whose process has the socket open, and no owner for others', async () => {
  const folder = proc();
  open(folder, 1, '/dev/null', 'socket:[10]', 'pipe:[11]');
  open(folder, 2, 'socket:[20]');
  const { find } = processes([
    ['one', [1]],
    ['two', [2, 3]],
  ]);

  const owners = await new SocketOwners(folder).resolve(['10', '11', '20', '30'], find, lazy);

  expect([...owners]).toEqual([
    ['10', 'one'],
    ['20', 'two'],
  ]);
});

it('does not search when all owners are known', async () => {
  const folder = proc();
  open(folder, 1, 'socket:[10]');
  const { counted, find } = processes([['one', [1]]]);
  const owners = new SocketOwners(folder);

  for (let time = 0; time < 5; time++) await owners.resolve(['10'], find, lazy);

  expect(counted.count).toBe(1);
});

it('stops searching for an owner after three searches, unless required', async () => {
  const folder = proc();
  const { counted, find } = processes([['one', [1]]]);
  const owners = new SocketOwners(folder);
  for (let time = 0; time < 10; time++) await owners.resolve(['10'], find, lazy);
  expect(counted.count).toBe(3);

  open(folder, 1, 'socket:[10]');

  expect(await owners.resolve(['10'], find, lazy)).toEqual(new Map());
  expect(await owners.resolve(['10'], find, { mustSearch: true })).toEqual(new Map([['10', 'one']]));
});

it('forgets closed sockets', async () => {
  const folder = proc();
  open(folder, 1, 'socket:[10]');
  const { counted, find } = processes([['one', [1]]]);
  const owners = new SocketOwners(folder);

  await owners.resolve(['10'], find, lazy);
  await owners.resolve([], find, lazy);
  await owners.resolve(['10'], find, lazy);

  expect(counted.count).toBe(2);
});
