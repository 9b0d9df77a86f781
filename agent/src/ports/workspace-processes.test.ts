import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ContainerProcesses, type RunningContainer } from './workspace-processes.js';

const id = 'a'.repeat(64);

/** Folders as a kernel fills them. */
function kernel() {
  const root = mkdtempSync(join(tmpdir(), 'kernel-'));
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { write, folders: { proc: join(root, 'proc'), cgroup: join(root, 'cgroup') } };
}

function asked(answers: readonly (RunningContainer | null)[]) {
  const left = [...answers];
  const counted = { count: 0 };
  const inspect = async () => {
    counted.count += 1;
    return left.shift() ?? null;
  };
  return { counted, inspect };
}

it('lists the processes of a group and of the groups inside it, version 2', async () => {
  const { write, folders } = kernel();
  write('proc/7/cgroup', `0::/system.slice/docker-${id}.scope\n`);
  write(`cgroup/system.slice/docker-${id}.scope/cgroup.procs`, '7\n8\n');
  write(`cgroup/system.slice/docker-${id}.scope/nested/cgroup.procs`, '9\n');
  const { inspect } = asked([{ id, pid: 7 }]);

  const all = await new ContainerProcesses(inspect, folders).all(['one']);

  expect(all).toEqual(new Map([['one', [7, 8, 9]]]));
});

it('lists the processes of a group, version 1', async () => {
  const { write, folders } = kernel();
  write('proc/7/cgroup', `9:name=systemd:/docker/${id}\n8:pids:/docker/${id}\n1:cpu:/docker/${id}\n`);
  write(`cgroup/pids/docker/${id}/cgroup.procs`, '7\n8\n');
  const { inspect } = asked([{ id, pid: 7 }]);

  expect(await new ContainerProcesses(inspect, folders).all(['one'])).toEqual(new Map([['one', [7, 8]]]));
});

it('asks the engine again only when the process has left the container', async () => {
  const { write, folders } = kernel();
  write('proc/7/cgroup', `0::/docker/${id}\n`);
  write('proc/17/cgroup', `0::/docker/${id}\n`);
  const { counted, inspect } = asked([
    { id, pid: 7 },
    { id, pid: 17 },
  ]);
  const processes = new ContainerProcesses(inspect, folders);
  expect([await processes.leader('one'), await processes.leader('one')]).toEqual([7, 7]);
  expect(counted.count).toBe(1);

  // The id was reused by another process of the machine.
  write('proc/7/cgroup', '0::/system.slice/ssh.service\n');

  expect(await processes.leader('one')).toBe(17);
});

it('ignores a process id that is not in the container, as from an engine in a virtual machine', async () => {
  const { write, folders } = kernel();
  write('proc/7/cgroup', '0::/user.slice\n');
  const { inspect } = asked([{ id, pid: 7 }, { id, pid: 8 }, null]);
  const processes = new ContainerProcesses(inspect, folders);

  expect(await processes.leader('one')).toBe(null);
  expect(await processes.leader('one')).toBe(null);
  expect(await processes.leader('one')).toBe(null);
});
