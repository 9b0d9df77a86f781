import { expect, it } from 'vitest';
import { jsonProblem, parseJsonWithComments } from './json-with-comments.js';

it.each([
  '{}',
  '\uFEFF // first\n{ /* a */ "image": "x", /* ** b */ }\r\n// last',
  '{"a": [1, -0.5e+3, true, null, {},], "b": "\\u00e9 \\" // no comment",}',
  '{"http": "https://example.org/*", "a": 1, "a": 2}',
  `{"a": ${'['.repeat(99)}${']'.repeat(99)}}`,
  `{"a": "${'x'.repeat(1024 ** 2)}"}`,
])('accepts %.60s', (text) => {
  expect(jsonProblem(text)).toBeNull();
});

it.each([
  ['\uFEFF{ // a\n"a": /* b */ [1, -0.5e+3, true, null, {},], }', { a: [1, -500, true, null, {}] }],
  ['{"b": "\\u00e9 \\" // no comment", "c": {"d": "/* */"}}', { b: 'é " // no comment', c: { d: '/* */' } }],
  ['{"a": 1, "a": 2}', { a: 2 }],
])('reads the values of %.60s', (text, value) => {
  expect(parseJsonWithComments(text)).toEqual(value);
});

it('keeps a member that is named __proto__ an ordinary one', () => {
  const read = parseJsonWithComments('{"__proto__": {"hostRequirements": {"cpus": 9}}}');
  expect(Object.keys(read)).toEqual(['__proto__']);
  expect(read.hostRequirements).toBeUndefined();
});

it('throws for what is not JSON with comments', () => {
  expect(() => parseJsonWithComments('{"a": }')).toThrow('a value is missing');
});

it.each([
  ['', 1, 1, 'the file is empty'],
  ['// nothing\n', 2, 1, 'the file is empty'],
  ['["a"]', 1, 1, 'one object'],
  ['{\n  "image": "x"\n  "name": "y"\n}', 3, 3, 'a comma or "}" is missing'],
  ['{\r\n"a": [1\r\n2]}', 3, 1, 'a comma or "]" is missing'],
  ['{"a" 1}', 1, 6, 'a colon is missing'],
  ['{"a": }', 1, 7, 'a value is missing'],
  ['{"a": nulls}', 1, 7, 'a value is missing'],
  ["{'a': 1}", 1, 2, 'a name in double quotes'],
  ['{a: 1}', 1, 2, 'a name in double quotes'],
  ['{,}', 1, 2, 'a name in double quotes'],
  ['{"a": [1,,2]}', 1, 10, 'a value is missing'],
  ['{"a": 01}', 1, 8, 'a comma'],
  ['{"a": "b\n"}', 1, 7, 'the quote that begins here is not closed'],
  ['{"a": "b\tc"}', 1, 9, 'a control character'],
  ['{"a": "\\x"}', 1, 8, 'a backslash'],
  ['{\n "a": {\n', 2, 7, 'the file ends before'],
  ['{} /* c', 1, 4, 'the comment'],
  ['{} {}', 1, 4, 'text follows'],
  ['\uFEFFx', 1, 1, 'one object'],
])('finds the error of %j at line %i, column %i', (text, line, column, message) => {
  expect(jsonProblem(text)).toEqual({ line, column, message: expect.stringContaining(message) });
});

it('refuses deep nesting instead of exhausting the stack', () => {
  expect(jsonProblem(`{"a": ${'['.repeat(500_000)}`)?.message).toContain('nested more than 100 deep');
});

it('reads a file of the highest size in little time', () => {
  const started = performance.now();
  for (const part of ['\\"', '/**/', '[],', '1', '"', '\n'])
    jsonProblem(`{"a": [${part.repeat(1024 ** 2 / part.length)}`);
  expect(performance.now() - started).toBeLessThan(5_000);
});
