import { expect, it } from 'vitest';
import { parseEntries } from './file-scripts.js';

it('reads kinds, sizes and times, folders first', () => {
  const text =
    '81a4 12 1700000000 ./b.txt\n41ed 4096 1700000000 ./z\na1ff 3 1700000000 ./a\n11a4 0 0 ./pipe\n';

  expect(parseEntries(text)).toEqual([
    { name: 'z', type: 'dir', size: 4096, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'a', type: 'symlink', size: 3, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'b.txt', type: 'file', size: 12, modifiedAt: '2023-11-14T22:13:20.000Z' },
    { name: 'pipe', type: 'other', size: 0, modifiedAt: '1970-01-01T00:00:00.000Z' },
  ]);
});

it('is not misled by line breaks in names', () => {
  const text = '81a4 1 0 ./one\n81a4 2 0 two\n81a4 3 0 ./three\n';

  expect(parseEntries(text).map(({ name }) => name)).toEqual(['one\n81a4 2 0 two', 'three']);
});

it('returns nothing for an empty folder or an incomplete line', () => {
  expect(parseEntries('')).toEqual([]);
  expect(parseEntries('81a4 1 0 ./one\n81a4 1 0 ./tw').map(({ name }) => name)).toEqual(['one']);
});
