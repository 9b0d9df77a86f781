import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import { ProgressHeartbeat } from './progress-heartbeat.js';
import type { Workspace } from './workspace.js';

const intervalMs = 20_000;
const log = new Log({ level: 'error', format: 'json' }, () => undefined);
// The heartbeat only passes the workspace on.
const workspace = { workspaceId: 'W', generation: 1 } as Workspace;

let beats: AbortSignal[];
let answer: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  beats = [];
  answer = async () => {};
});

afterEach(() => vi.useRealTimers());

const start = () =>
  new ProgressHeartbeat(workspace, {
    callbacks: {
      progress: (_, signal) => {
        beats.push(signal);
        return answer();
      },
    },
    log,
    intervalMs,
  });

it('sends progress at every interval until disposal', async () => {
  const beat = start();
  await vi.advanceTimersByTimeAsync(3 * intervalMs);

  await beat[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(3 * intervalMs);

  expect(beats).toHaveLength(3);
});

it('continues after a failed progress callback', async () => {
  answer = () => Promise.reject(new Error('no network'));
  await using _beat = start();

  await vi.advanceTimersByTimeAsync(2 * intervalMs);

  expect(beats).toHaveLength(2);
});

it('sends one progress callback at a time, and aborts it at disposal', async () => {
  answer = () =>
    new Promise((_, reject) => beats.at(-1)?.addEventListener('abort', () => reject(new Error('ended'))));
  const beat = start();
  await vi.advanceTimersByTimeAsync(3 * intervalMs);

  await beat[Symbol.asyncDispose]();

  expect(beats).toHaveLength(1);
  expect(beats[0]?.aborted).toBe(true);
});
