import { expect, it } from 'vitest';
import { clock } from './times.js';

it('shows the time of day, with the date of another day', () => {
  const now = new Date(2026, 10, 23, 9, 0);
  const at = (day: number) => new Date(2026, 10, day, 14, 32).toISOString();

  expect(clock(at(23), now)).toBe('14:32');
  expect(clock(at(24), now)).toBe('Nov 24, 2026, 14:32');
});
