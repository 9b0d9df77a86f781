import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));

const linesOf = (file: string): readonly string[] => readFileSync(join(root, file), 'utf8').split('\n');

/** From the table "Words that are not used" of docs/glossary.md: a word, and the words for it. */
const unusedWords = linesOf('docs/glossary.md').flatMap((line) => {
  const [, words, instead] = /^\| not: (.+?) \| (.+?) \|$/.exec(line) ?? [];
  return words && instead ? words.split(', ').map((word) => ({ word, instead })) : [];
});

/** They quote the words: the list itself, and this test. */
const exempt = ['docs/glossary.md', 'scripts/words.test.ts'];

const texts = filesOf('*.ts', '*.tsx', '*.mjs', '*.md', '*.sh', '*.yaml', '*.asl.json').filter(
  (file) => !exempt.includes(file),
);

/** `toldAt` and `TOLD_AT` are two words, as in prose. */
const spaced = (line: string): string => line.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' ');

const anyUse = new RegExp(`\\b(?:${unusedWords.map(({ word }) => word).join('|')})\\b`, 'i');

function usesIn(line: string): readonly string[] {
  const text = spaced(line);
  if (!anyUse.test(text)) return [];
  return unusedWords
    .filter(({ word }) => new RegExp(`\\b${word}\\b`, 'i').test(text))
    .map(({ word, instead }) => `"${word}": ${instead}`);
}

describe('the words of the glossary', () => {
  it('list what is not used', () => {
    expect(unusedWords.length).toBeGreaterThan(20);
    expect(usesIn('const toldAt = now;')).toHaveLength(1);
    expect(usesIn('It is off for good.')).toHaveLength(1);
    expect(usesIn('a stellar reload')).toEqual([]);
  });

  it('are the only ones in code, tests and docs', () => {
    const found = texts.flatMap((file) =>
      [file, ...linesOf(file)].flatMap((line, index) => usesIn(line).map((use) => `${file}:${index} ${use}`)),
    );
    expect(found).toEqual([]);
  });
});

const widest = 100;
/** A linter's directive must be one line. */
const isDirective = (line: string): boolean => line.includes('biome-ignore');

it(`a comment is at most ${widest} columns wide`, () => {
  const found = filesOf('*.ts', '*.tsx', '*.mjs').flatMap((file) =>
    linesOf(file).flatMap((line, index) => {
      const isComment = /^\s*(\/\/|\/?\*)/.test(line) && !isDirective(line);
      return isComment && line.length > widest && !line.includes('://') ? [`${file}:${index + 1}`] : [];
    }),
  );
  expect(found).toEqual([]);
});
