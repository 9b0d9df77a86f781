import { expect, it } from 'vitest';
import { eachDue } from './each-due.js';

it('does the work of all records in their order, and states those that fail', async () => {
  const [done, failures]: [number[], unknown[]] = [[], []];

  await eachDue(
    [1, 2, 3, 4],
    (one) => {
      // One fails before it returns a promise, and one after.
      if (one === 1) throw new Error('at once');
      if (one === 3) return Promise.reject(new Error('later'));
      done.push(one);
      return Promise.resolve();
    },
    (one, error) => failures.push([one, error]),
  );

  expect(done).toEqual([2, 4]);
  expect(failures).toEqual([
    [1, new Error('at once')],
    [3, new Error('later')],
  ]);
});
