import { expect, it } from 'vitest';
import { parseJsonWithComments } from './local-features.js';

it.each([
  ['{"a": 1} // end', { a: 1 }],
  ['/* one */ {"a": "// not /* a */ comment", /* two */}', { a: '// not /* a */ comment' }],
  ['\uFEFF{"a": [1, 2, ], // x\n }', { a: [1, 2] }],
  ['{"a": "\\"// \\\\"}', { a: '"// \\' }],
  ['{"a": ",}"}', { a: ',}' }],
  ['{"__proto__": {"id": "x"}, "a": 1}', { a: 1 }],
])('reads %j', (text, expected) => {
  expect(parseJsonWithComments(text)).toStrictEqual(expected);
});

it.each(['{"a": 1} /* open', '{', '', '{"a": 1} {"b": 2}', '/'])('refuses or ends %j', (text) => {
  try {
    expect(parseJsonWithComments(text)).toEqual({ a: 1 });
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
  }
});

it('scans unterminated comments in linear time', { timeout: 5_000 }, () => {
  // Quadratic scanning would take minutes.
  for (const piece of ['/*', '"\\', ',', '//'])
    expect(() => parseJsonWithComments(piece.repeat(200_000))).toThrow(SyntaxError);
});
