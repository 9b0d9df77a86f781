import { expect, it } from 'vitest';
import { FilePath } from './file-parameters.js';

it.each([
  ['README.md', 'README.md'],
  ['src\\edge\\route.ts', 'src/edge/route.ts'],
  ['~/notes', '~/notes'],
  ['naïve файл 名.txt', 'naïve файл 名.txt'],
  ['..a/.b/c..', '..a/.b/c..'],
])('takes %s', (path, taken) => {
  expect(FilePath.parse(path)).toBe(taken);
});

it.each(['', '/etc/passwd', 'a//b', 'a/', './a', 'a/../b', '..\\b', 'a\u0000b', 'a\nb', 'x'.repeat(4_097)])(
  'refuses %j',
  (path) => {
    expect(FilePath.safeParse(path).success).toBe(false);
  },
);
