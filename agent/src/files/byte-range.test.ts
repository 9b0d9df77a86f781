import { expect, it } from 'vitest';
import { parseRange } from './byte-range.js';

it.each([
  ['bytes=0-0', { start: 0, length: 1 }],
  ['bytes=2-5', { start: 2, length: 4 }],
  ['bytes=2-', { start: 2, length: 8 }],
  ['bytes=2-99', { start: 2, length: 8 }],
  ['bytes=-3', { start: 7, length: 3 }],
  ['bytes=-99', { start: 0, length: 10 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-2', null],
  ['bytes=0-1,4-5', null],
  ['bytes=-', null],
  ['lines=1-2', null],
  [undefined, null],
])('reads %s of ten bytes', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected);
});
