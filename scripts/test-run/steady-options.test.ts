import { expect, it } from 'vitest';
import { steadyOptions } from './steady-options.js';

it('a steadiness run has five runs of an hour at most', () => {
  expect(steadyOptions([])).toEqual({ runs: 5, minutes: 60, only: undefined });
  expect(steadyOptions(['--runs', '2', '--minutes', '9', '--only', 'test/e2e'])).toEqual({
    runs: 2,
    minutes: 9,
    only: 'test/e2e',
  });
});

it.each(['0', '-1', 'five', '1.5'])('refuses %s runs', (runs) => {
  expect(() => steadyOptions([`--runs=${runs}`])).toThrow('must be a positive integer');
});
