import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.js';

const never = new AbortController().signal;

it('runs all tasks, and no more at once than its limit', async () => {
  const semaphore = new Semaphore(2);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };

  await Promise.all([1, 2, 3, 4, 5].map(() => semaphore.run(never, work)));

  expect(most).toBe(2);
});

it('removes an aborted waiter without losing a slot', async () => {
  const semaphore = new Semaphore(1);
  const first = Promise.withResolvers<void>();
  const controller = new AbortController();
  const running = semaphore.run(never, () => first.promise);
  const waiting = semaphore.run(controller.signal, async () => 'too late');

  controller.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  first.resolve();
  await running;

  expect(await semaphore.run(never, async () => 'free')).toBe('free');
});
