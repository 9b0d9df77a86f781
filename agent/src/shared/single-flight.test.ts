import { expect, it } from 'vitest';
import { SingleFlight } from './single-flight.js';

it('joins calls while one runs, and begins again after its end', async () => {
  const flight = new SingleFlight();
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const work = () => {
    begun += 1;
    return promise;
  };

  const first = flight.run(work);
  expect(flight.run(work)).toBe(first);
  expect(flight.current).toBe(first);
  resolve();
  await first;

  expect([begun, flight.current]).toEqual([1, null]);
  await flight.run(work);
  expect(begun).toBe(2);
});

it('begins again after a failure, which every caller gets', async () => {
  const flight = new SingleFlight();
  const fail = async () => {
    throw new Error('no');
  };

  await expect(Promise.allSettled([flight.run(fail), flight.run(fail)])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(flight.current).toBeNull();
});
