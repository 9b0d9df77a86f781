import { expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

it('doubles from half a second up to half a minute', () => {
  const longest = [0, 1, 2, 6, 50].map((attempt) => backoffMs(attempt, () => 1));

  expect(longest).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
});

it('waits at least half of that, however the dice fall', () => {
  expect(backoffMs(3, () => 0)).toBe(2_000);
});
