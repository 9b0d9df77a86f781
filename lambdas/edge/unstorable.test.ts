import { expect, it } from 'vitest';
import { findUnstorable } from './unstorable.js';

const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);

it.each([
  ['text of any kind', 'a\u0000\u{1F6AA}\ufffe'],
  ['what is no text', { a: [1, true, null] }],
  ['24 levels', nested(24)],
])('takes %s', (_what, value) => {
  expect(findUnstorable('body', value)).toBeUndefined();
});

it.each([
  ['half a character', 'a\ud83d', 'body'],
  ['its other half', { a: ['x', '\udeaa'] }, 'body.a.1'],
  ['a name with half a character', { a: { '\ud83d': 1 } }, 'body.a'],
])('names where %s is', (_what, value, field) => {
  expect(findUnstorable('body', value)).toEqual({ field, message: 'Not well-formed Unicode' });
});

it('stops at the twenty-fifth level, however many follow', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));

  expect(findUnstorable('body', deep)?.message).toBe('Nested deeper than 24 levels');
  expect(findUnstorable('body', nested(25))).toBeDefined();
});
