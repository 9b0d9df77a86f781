import { beforeEach, expect, it, vi } from 'vitest';
import { RotatingSecret } from './rotating-secret.js';

let now = 0;
let stored = 'first';
const read = vi.fn(async () => stored);
let secret: RotatingSecret<string>;

beforeEach(() => {
  now = 1_000_000;
  stored = 'first';
  read.mockClear();
  secret = new RotatingSecret(read, () => now);
});

it('is read once in five minutes, then again', async () => {
  await Promise.all([secret.get(), secret.get()]);
  stored = 'second';
  now += 5 * 60_000 - 1;
  expect(await secret.get()).toBe('first');
  now += 1;

  expect(await secret.get()).toBe('second');
  expect(read).toHaveBeenCalledTimes(2);
});

it('is read again after a refusal, at most every 30 seconds', async () => {
  await secret.get();
  stored = 'second';
  now += 29_999;
  expect(await secret.afterRefusal()).toBe('first');
  now += 1;

  expect(await secret.afterRefusal()).toBe('second');
  expect(await secret.get()).toBe('second');
});

it('is read again after a failed read', async () => {
  read.mockRejectedValueOnce(new Error('Throttling'));
  await expect(secret.get()).rejects.toThrow('Throttling');

  expect(await secret.get()).toBe('first');
});
