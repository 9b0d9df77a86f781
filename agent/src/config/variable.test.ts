import { expect, it } from 'vitest';
import { parseDuration } from './variable.js';

it.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['15m', 900_000],
  ['1m30s', 90_000],
  ['1.5s', 1_500],
  ['0', 0],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', '5', 's', '-1s', '10 s', '1d', '5sm', 'ten seconds'])('refuses %j', (text) => {
  expect(parseDuration(text)).toBeNull();
});
