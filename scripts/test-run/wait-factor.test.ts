import { expect, it } from 'vitest';
import { waitFactor } from '../../test/support/runner/wait-factor.js';

it.each([
  ['a quiet machine', { workMs: 100, load: 0.5, cores: 2 }, 1],
  ['a slow machine', { workMs: 240, load: 0.5, cores: 2 }, 2],
  ['a machine with neighbours', { workMs: 120, load: 6, cores: 2 }, 3],
  ['an overloaded machine', { workMs: 5_000, load: 90, cores: 2 }, 5],
])('waits on %s', (_, load, factor) => {
  expect(waitFactor(load)).toBe(factor);
});
