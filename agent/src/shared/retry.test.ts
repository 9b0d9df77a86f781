import { expect, it } from 'vitest';
import { retry } from './retry.js';

const policy = { attempts: 5, firstDelayMs: 1, maxDelayMs: 4, isTransient: () => true };

it('retries until the task succeeds', async () => {
  let calls = 0;
  const work = async () => {
    calls += 1;
    if (calls < 3) throw new Error('not yet');
    return 'done';
  };

  expect(await retry(work, { ...policy, signal: new AbortController().signal })).toBe('done');
  expect(calls).toBe(3);
});

it('throws the last error after the last attempt', async () => {
  let calls = 0;
  const work = () => Promise.reject(new Error(`attempt ${++calls}`));

  await expect(retry(work, { ...policy, signal: new AbortController().signal })).rejects.toThrow('attempt 5');
});

it('does not retry a permanent failure', async () => {
  let calls = 0;
  const work = () => Promise.reject(new Error(`attempt ${++calls}`));
  const options = { ...policy, isTransient: () => false, signal: new AbortController().signal };

  await expect(retry(work, options)).rejects.toThrow('attempt 1');
});

it('stops waiting when aborted', async () => {
  const controller = new AbortController();
  const work = () => Promise.reject(new Error('down'));
  const options = { ...policy, firstDelayMs: 60_000, maxDelayMs: 60_000, signal: controller.signal };

  const running = retry(work, { ...options, onRetry: () => controller.abort() });

  await expect(running).rejects.toThrow('abort');
});
