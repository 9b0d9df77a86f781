import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { spawn } from '../node/process-priority.js';
import { endMarkedProcesses } from './marked-processes.js';

afterEach(() => vi.useRealTimers());

it.skipIf(process.platform !== 'linux')(
  'waits for a process to end, however far the clock is set meanwhile',
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
