import { expect, it } from 'vitest';
import { tokenLines } from './highlighter.js';
import { languageNamed, languageOf } from './languages.js';

const textOf = (text: string, language: string) =>
  tokenLines(text, language)
    .map((line) => line.map((token) => token.text).join(''))
    .join('\n');

it.each([
  ['typescript', 'const a = `x\n$b` // <img onerror=1>\n\n'],
  ['python', 'def f():\n    """two\n    lines"""\n'],
  ['xml', '<a href="javascript:1">&amp;</a>'],
  ['json', '{"a": [1, true, null'],
  ['bash', ''],
])('keeps every character of %s', (language, text) => {
  expect(textOf(text, language)).toBe(text);
});

it('says what the pieces of a line are, also of a comment over two lines', () => {
  const [first, second] = tokenLines('/* one\ntwo */ const a = 1;', 'typescript');
  expect(first).toEqual([{ kind: 'comment', text: '/* one' }]);
  expect(second?.slice(0, 3)).toEqual([
    { kind: 'comment', text: 'two */' },
    { kind: '', text: ' ' },
    { kind: 'keyword', text: 'const' },
  ]);
});

it('knows a language by a fence and by a file name, and knows a grammar for each', () => {
  expect(languageOf('web/src/main.tsx')).toBe('typescript');
  expect(languageOf('deploy/Dockerfile')).toBe('dockerfile');
  expect(languageOf('LICENSE')).toBeUndefined();
  expect(languageNamed('constructor')).toBeUndefined();
  for (const name of ['sh', 'c', 'cs', 'css', 'go', 'toml', 'java', 'md', 'php', 'rb', 'rs', 'sql', 'yml'])
    expect(textOf('x', languageNamed(name) ?? '')).toBe('x');
});
