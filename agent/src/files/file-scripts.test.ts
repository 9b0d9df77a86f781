import { expect, it } from 'vitest';
import { parseEntries } from './file-scripts.js';

it('reads kinds, sizes and times, folders first', () => {
  const text =
    '81a4 12 1700000000 ./b.txt\n41ed 4096 1700000000 ./z\na1ff 3 1700000000 ./a\n11a4 0 0 ./pipe\n';

  expect(parseEntries(text, 4).entries).toEqual([
    { name: 'z', type: 'dir', size: 4096, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'a', type: 'symlink', size: 3, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'b.txt', type: 'file', size: 12, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'pipe', type: 'other', size: 0, modifiedAt: '1970-01-01T00:00:00.000Z' },
  ]);
});

it('is not misled by line breaks in names', () => {
  const text = '81a4 1 0 ./one\n81a4 2 0 two\n81a4 3 0 ./three\n';

  expect(parseEntries(text, 9).entries.map(({ name }) => name)).toEqual(['one\n81a4 2 0 two', 'three']);
});

it('returns nothing for an empty folder or an incomplete line', () => {
  expect(parseEntries('', 9)).toEqual({ entries: [], isTruncated: false });
  expect(parseEntries('81a4 1 0 ./one\n81a4 1 0 ./tw', 9).entries.map(({ name }) => name)).toEqual(['one']);
});

it('keeps the first entries of all, in whatever order they are printed', () => {
  const names = Array.from({ length: 100 }, (_, index) => String((index * 37) % 100).padStart(2, '0'));
  const text = names.map((name) => `81a4 1 0 ./${name}\n`).join('');

  const { entries, isTruncated } = parseEntries(text, 3);

  expect(entries.map(({ name }) => name)).toEqual(['00', '01', '02']);
  expect(isTruncated).toBe(true);
});
