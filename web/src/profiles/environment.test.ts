import { expect, it } from 'vitest';
import { readEnvironment } from './environment.js';

it('reads a variable a line, with everything after the first equals sign as its value', () => {
  expect(readEnvironment('A=1\n\n B = x=y \n', [])).toEqual({ A: '1', B: ' x=y' });
});

it('removes by name, unless the same name is set again', () => {
  expect(readEnvironment('A=2', ['A', 'B'])).toEqual({ A: '2', B: null });
  expect(readEnvironment('', [])).toEqual({});
});

it('refuses another line by its number and keeps its text out of the message', () => {
  expect(() => readEnvironment('A=1\nsecret', [])).toThrow(/^Line 2 is not NAME=value$/);
  expect(() => readEnvironment('=secret', [])).toThrow('Line 1');
});
