import { expect, it } from 'vitest';
import { Unavailable } from '../../shared/errors.js';
import { retryOnConflict } from './retry-on-conflict.js';

const retries = { attempts: 3, message: 'The record changed at the same time. Try again.' };

it('repeats the write with the record that it met', async () => {
  const seen: number[] = [];
  const result = await retryOnConflict(1, retries, async (version) => {
    seen.push(version);
    return version < 3 ? { met: version + 1 } : { result: 'written' };
  });
  expect(result).toBe('written');
  expect(seen).toEqual([1, 2, 3]);
});

it('answers that the record is busy when every attempt met another change', async () => {
  const attempts: number[] = [];
  const busy = retryOnConflict(1, retries, async (version) => {
    attempts.push(version);
    return { met: version + 1 };
  });
  await expect(busy).rejects.toThrow(new Unavailable(retries.message));
  expect(attempts).toHaveLength(3);
});
