import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { environmentLine, environmentWrapper } from './environment-line.js';

const program = `process.stdin.setEncoding('utf8').on('data', () => undefined);
  let rest = '';
  process.stdin.on('data', (chunk) => { rest += chunk; });
  process.stdin.on('end', () => console.log(JSON.stringify({ value: process.env.VALUE, rest })));`;

function run(value: string, rest: string) {
  const line = environmentLine({ VALUE: value, OTHER: 'x' });
  const { stdout, status } = spawnSync(
    '/bin/sh',
    ['-c', environmentWrapper, 'sh', process.execPath, '-e', program],
    { input: line + rest, encoding: 'utf8' },
  );
  return status === 0 ? JSON.parse(stdout) : status;
}

it('sets any value, and leaves the rest of the input to the program', () => {
  const texts = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((text) => !/[\0\ud800-\udfff]/.test(text));
  const nasty = fc.constantFrom(
    "it's",
    '$(touch /x)',
    '`id`',
    '"; exit 1',
    'two\nlines\n',
    '\\n',
    ' a  b ',
    '!!',
  );

  fc.assert(
    fc.property(fc.oneof(texts, nasty), fc.constantFrom('', '{"json":1}\nmore\n'), (value, rest) => {
      expect(run(value, rest)).toEqual({ value, rest });
    }),
    { numRuns: 25 },
  );
}, 60_000);

it('is one line for any value', () => {
  expect(environmentLine({ VALUE: 'a\nb' }).split('\n')).toHaveLength(2);
});

it.each([
  ['A-B', 'x'],
  ['A;id', 'x'],
  ['A', 'nul\0'],
])('refuses %j with %j, without the value in the message', (name, value) => {
  expect(() => environmentLine({ [name]: value })).toThrow(`${name} cannot be an environment variable`);
});
