import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The requirements of ASVS 5.0.0 at levels 1 and 2, by chapter. */
const required = [
  '1.1.1-1.1.2 1.2.1-1.2.9 1.3.1-1.3.11 1.4.1-1.4.3 1.5.1-1.5.2',
  '2.1.1-2.1.3 2.2.1-2.2.3 2.3.1-2.3.4 2.4.1-2.4.1',
  '3.2.1-3.2.2 3.3.1-3.3.4 3.4.1-3.4.6 3.5.1-3.5.5 3.7.1-3.7.2',
  '4.1.1-4.1.3 4.2.1-4.2.1 4.3.1-4.3.2 4.4.1-4.4.4',
  '5.1.1-5.1.1 5.2.1-5.2.3 5.3.1-5.3.2 5.4.1-5.4.3',
  '6.1.1-6.1.3 6.2.1-6.2.12 6.3.1-6.3.4 6.4.1-6.4.4 6.5.1-6.5.5 6.6.1-6.6.3 6.8.1-6.8.4',
  '7.1.1-7.1.3 7.2.1-7.2.4 7.3.1-7.3.2 7.4.1-7.4.5 7.5.1-7.5.2 7.6.1-7.6.2',
  '8.1.1-8.1.2 8.2.1-8.2.3 8.3.1-8.3.1 8.4.1-8.4.1',
  '9.1.1-9.1.3 9.2.1-9.2.4',
  '10.1.1-10.1.2 10.2.1-10.2.2 10.3.1-10.3.4 10.4.1-10.4.11 10.5.1-10.5.5 10.6.1-10.6.2 10.7.1-10.7.3',
  '11.1.1-11.1.2 11.2.1-11.2.3 11.3.1-11.3.3 11.4.1-11.4.4 11.5.1-11.5.1 11.6.1-11.6.1',
  '12.1.1-12.1.3 12.2.1-12.2.2 12.3.1-12.3.4',
  '13.1.1-13.1.1 13.2.1-13.2.5 13.3.1-13.3.2 13.4.1-13.4.5',
  '14.1.1-14.1.2 14.2.1-14.2.4 14.3.1-14.3.3',
  '15.1.1-15.1.3 15.2.1-15.2.3 15.3.1-15.3.7',
  '16.1.1-16.1.1 16.2.1-16.2.5 16.3.1-16.3.4 16.4.1-16.4.3 16.5.1-16.5.3',
  '17.1.1-17.1.1 17.2.1-17.2.4 17.3.1-17.3.2',
].flatMap((chapter) => chapter.split(' ').flatMap(expand));

const rows = readFileSync(join(root, 'docs/security-asvs.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, lines = '', , state = '', where = ''] = line.split('|').map((cell) => cell.trim());
    return { lines, state, where };
  });

/** `6.2.1-6.2.3` is 6.2.1, 6.2.2 and 6.2.3. */
function expand(range: string): string[] {
  const [first = '', last = first] = range.split('-');
  const section = first.slice(0, first.lastIndexOf('.'));
  const [from, to] = [first, last].map((line) => Number(line.split('.').at(-1)));
  const count = Number(to) - Number(from) + 1;
  return Array.from({ length: count }, (_, index) => `${section}.${Number(from) + index}`);
}

it('names each requirement of levels 1 and 2 once', () => {
  const named = rows.flatMap(({ lines }) => lines.split(', ').flatMap(expand));

  expect(required).toHaveLength(253);
  expect(named.toSorted()).toEqual(required.toSorted());
});

it('gives each row a state and a place or a reason', () => {
  for (const { lines, state, where } of rows) {
    expect(['yes', 'part', 'no', 'n/a'], lines).toContain(state);
    expect(where.length, lines).toBeGreaterThan(3);
  }
});

it('names only files that exist', () => {
  const paths = rows.flatMap(({ where }) => [
    ...[...where.matchAll(/`((?:agent|infra|lambdas|local|scripts|test|web)\/[^`]+|biome\.json)`/g)].map(
      ([, path = '']) => path,
    ),
    ...[...where.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path = '']) => `docs/${path}`),
  ]);

  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
