import { expect, it } from 'vitest';
import { withoutFrontend } from './dockerfile-frontend.js';

it.each([
  ['# syntax=x\nFROM a', '# ignored=syntax\nFROM a'],
  ['#\tSyntax = x\r\n# escape=`\nFROM a', '# ignored=syntax\n# escape=`\nFROM a'],
  ['\uFEFF# syntax=x\nFROM a', '# ignored=syntax\nFROM a'],
  ['#!/usr/bin/env x\n# syntax=x\nFROM a', '#!/usr/bin/env x\n# ignored=syntax\nFROM a'],
  ['// syntax=x\nFROM a', '# ignored=syntax\nFROM a'],
  ['\n \n# a comment\n  # syntax=x\nFROM a', '\n \n# a comment\n# ignored=syntax\nFROM a'],
  ['# syntax=x\n# syntax=y', '# ignored=syntax\n# ignored=syntax'],
  ['{"syntax": "x"}\nFROM a', '# {"syntax": "x"}\nFROM a'],
  ['#!x\n {\n"syntax": "x"}\nFROM a', '#!x\n#  {\n"syntax": "x"}\nFROM a'],
])('takes the frontend out of %j', (text, without) => {
  expect(withoutFrontend(text)).toBe(without);
});

it('keeps the rest of a Dockerfile', () => {
  const text = 'FROM a\n# syntax=x\nRUN <<EOF\n# syntax=y\nEOF\n';

  expect(withoutFrontend(text)).toBe(text);
});
