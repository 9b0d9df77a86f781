import { expect, it } from 'vitest';
import { fitAnswer } from './fit-answer.js';

it('holds what fits, counted as it goes over the wire', () => {
  // Two quotes and their two escapes around each, and seven bytes for each of the ten.
  const items = ['\u0000'.repeat(10), '\u0000'.repeat(10), '\u0000'.repeat(10)];

  expect(fitAnswer(items, 228)).toHaveLength(3);
  expect(fitAnswer(items, 227)).toHaveLength(2);
});

it('holds the first item in any case, so that the next page is another one', () => {
  expect(fitAnswer(['long', 'short'], 1)).toEqual(['long']);
  expect(fitAnswer([], 1)).toEqual([]);
});
