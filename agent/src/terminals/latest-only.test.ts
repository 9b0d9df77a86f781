import { expect, it } from 'vitest';
import { LatestOnly } from './latest-only.js';

it('does one at a time, skips what is overtaken and ends with the last', async () => {
  const done: number[] = [];
  const gates: (() => void)[] = [];
  const latest = new LatestOnly<number>(
    async (value) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      done.push(value);
    },
    () => undefined,
  );
  for (const value of [1, 2, 3]) latest.take(value);
  expect(gates).toHaveLength(1);

  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  await expect.poll(() => done).toEqual([1, 3]);
});

it('goes on after a failure', async () => {
  const failures: unknown[] = [];
  const done: number[] = [];
  const latest = new LatestOnly<number>(
    async (value) => {
      if (value === 1) throw new Error('no');
      done.push(value);
    },
    (error) => failures.push(error),
  );
  latest.take(1);
  latest.take(2);

  await expect.poll(() => done).toEqual([2]);
  expect(failures).toHaveLength(1);
});
