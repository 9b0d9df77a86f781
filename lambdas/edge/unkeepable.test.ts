import { expect, it } from 'vitest';
import { unkeepable } from './unkeepable.js';

const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);

it.each([
  ['text of any kind', 'a\u0000\u{1F6AA}\ufffe'],
  ['what is no text', { a: [1, true, null] }],
  ['24 levels', nested(24)],
])('takes %s', (_what, value) => {
  expect(unkeepable('body', value)).toBeUndefined();
});

it.each([
  ['half a character', 'a\ud83d', 'body'],
  ['its other half', { a: ['x', '\udeaa'] }, 'body.a.1'],
  ['a name with half a character', { a: { '\ud83d': 1 } }, 'body.a'],
])('names where %s is', (_what, value, field) => {
  expect(unkeepable('body', value)).toEqual({ field, message: 'Not well-formed Unicode' });
});

it('stops at the twenty-fifth level, however many follow', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));

  expect(unkeepable('body', deep)?.message).toBe('Nested deeper than 24 levels');
  expect(unkeepable('body', nested(25))).toBeDefined();
});
