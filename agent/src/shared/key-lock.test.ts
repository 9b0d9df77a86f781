import { expect, it } from 'vitest';
import { KeyLock } from './key-lock.js';

it('runs tasks of one key one at a time in order, and different keys concurrently', async () => {
  const lock = new KeyLock();
  const first = Promise.withResolvers<void>();
  const done: string[] = [];

  const works = [
    lock.run('a', async () => {
      await first.promise;
      done.push('a1');
    }),
    lock.run('a', async () => done.push('a2')),
    lock.run('b', async () => done.push('b1')),
  ];
  await works[2];
  first.resolve();
  await Promise.all(works);

  expect(done).toEqual(['b1', 'a1', 'a2']);
});

it('continues after a failed task and rejects only for its caller', async () => {
  const lock = new KeyLock();
  const failing = lock.run('a', () => Promise.reject(new Error('broken')));
  const next = lock.run('a', async () => 'fine');

  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
});
