import { expect, it } from 'vitest';
import { formOf, isForNode, uploadProblem } from './upload-form.js';

const mebibyte = 1_024 ** 2;

it('names the destination before the files', () => {
  const form = formOf('src', [new File(['x'], 'a.txt')]);
  expect([...form.keys()]).toEqual(['destination', 'files']);
});

it.each([
  [3 * mebibyte, false],
  [4 * mebibyte, true],
])('sends %i bytes directly to the node: %s', (size, expected) => {
  expect(isForNode([new File([new Uint8Array(size)], 'a')])).toBe(expected);
});

it('refuses what the node would refuse', () => {
  const file = (name: string, size: number) => ({ name, size: size * mebibyte });
  expect(uploadProblem([file('a', 50)])).toBeNull();
  expect(uploadProblem([file('b', 51)])).toBe('b is larger than 50 MiB.');
  expect(uploadProblem(Array.from({ length: 6 }, () => file('c', 45)))).toContain('250 MiB');
});
