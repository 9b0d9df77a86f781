import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { spawn } from '../node/process-priority.js';
import { containerOf, endMarkedProcesses } from './marked-processes.js';

afterEach(() => vi.useRealTimers());

it.skipIf(process.platform !== 'linux')(
  'waits for a process to end, however far the clock is set during the wait',
  async () => {
    const mark = { name: 'BERTH_TEST_MARK', value: `${process.pid}` };
    const marked = spawn('sleep', ['1000'], { env: { ...process.env, [mark.name]: mark.value } });
    await once(marked, 'spawn');
    vi.useFakeTimers({ toFake: ['Date'] });

    const ending = endMarkedProcesses(mark).finally(() => marked.kill('SIGKILL'));
    vi.setSystemTime(Date.now() + 86_400_000);

    await expect(ending).resolves.toBeUndefined();
  },
);

const id = 'a'.repeat(64);

it.each([
  ['of the new kind', `0::/system.slice/docker-${id}.scope\n`],
  ['of the old kind', `9:name=systemd:/docker/${id}\n8:pids:/docker/${id}\n`],
  ['of another engine', `0::/machine.slice/libpod-${id}.scope/container\n`],
])('finds the container of a process in a control group %s', (_, groups) => {
  expect(containerOf(groups)).toBe(id);
});

it('finds the innermost container of nested containers', () => {
  expect(containerOf(`0::/docker/${'b'.repeat(64)}/docker/${id}\n`)).toBe(id);
});

it.each(['', '0::/\n', '0::/system.slice/vm-agent.service\n', '0::/user.slice/user-1000.slice\n'])(
  'finds none in %j',
  (groups) => {
    expect(containerOf(groups)).toBeNull();
  },
);
