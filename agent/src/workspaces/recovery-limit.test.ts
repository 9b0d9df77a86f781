import { expect, it } from 'vitest';
import { RecoveryLimit } from './recovery-limit.js';

it('allows five restarts in ten minutes for each workspace', () => {
  let now = 0;
  const recoveries = new RecoveryLimit(() => now);
  for (let time = 0; time < 5; time += 1) expect(recoveries.admit('a')).toBe(true);

  expect(recoveries.admit('a')).toBe(false);
  expect(recoveries.admit('b')).toBe(true);

  now += 10 * 60_000;
  expect(recoveries.admit('a')).toBe(true);
});

it('resets the limit of a deleted workspace', () => {
  const recoveries = new RecoveryLimit(() => 0);
  for (let time = 0; time < 6; time += 1) recoveries.admit('a');

  recoveries.forget('a');

  expect(recoveries.admit('a')).toBe(true);
});
