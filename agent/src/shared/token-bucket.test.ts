import { expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

it('allows a burst, then its rate', () => {
  let now = 0;
  const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, () => now);

  expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
  now = 100;
  expect([1, 2].map(() => bucket.take())).toEqual([true, false]);
});

it('adds no tokens when the clock is set back', () => {
  let now = 3_600_000;
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, () => now);
  bucket.take();

  now = 0;
  expect([1, 2].map(() => bucket.take())).toEqual([true, false]);
  now = 100;
  expect(bucket.take()).toBe(true);
});

it('never accumulates more than its burst', () => {
  let now = 0;
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, () => now);

  now = 60_000;

  expect([1, 2, 3].map(() => bucket.take())).toEqual([true, true, false]);
});
