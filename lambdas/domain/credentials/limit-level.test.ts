import { expect, it } from 'vitest';
import { levelOf, worstOf } from './limit-level.js';

it.each([
  [{ status: 'rejected', utilizationPercent: 10 }, 'rejected'],
  [{ status: 'allowed', utilizationPercent: 90 }, 'critical'],
  [{ status: 'allowed_warning', utilizationPercent: 95 }, 'critical'],
  [{ status: 'allowed', utilizationPercent: 89.9 }, 'warning'],
  [{ status: 'allowed', utilizationPercent: 75 }, 'warning'],
  [{ status: 'allowed_warning' }, 'warning'],
  [{ status: 'allowed', utilizationPercent: 74.9 }, 'ok'],
  [{ status: 'allowed' }, 'ok'],
  [{ status: 'unknown', utilizationPercent: 0 }, 'ok'],
] as const)('the level of %j is %s', (sample, level) => {
  expect(levelOf(sample, 'critical')).toBe(level);
});

it('a sample that says nothing keeps the level, which is ok at first', () => {
  expect(levelOf({ status: 'unknown' }, 'critical')).toBe('critical');
  expect(levelOf({ status: 'unknown' })).toBe('ok');
});

it('the level of a credential is that of its worst window', () => {
  expect(worstOf(['ok', 'critical', 'warning'])).toBe('critical');
  expect(worstOf([])).toBe('ok');
});
