import { describe, expect, it } from 'vitest';
import { hashOfListing, parseFiles } from './file-listing.js';

const line = '81a4 12 2026-11-26 13:00:00.5 +0000 2026-11-26 13:00:01.5 +0000\n';
const printed = (...pairs: readonly (readonly [names: string, lines: string])[]) =>
  Buffer.from(pairs.map(([names, lines]) => `${names}\0${lines}\0\0`).join(''));

describe('a listing of files', () => {
  it('is read in pairs of names and lines', () => {
    const files = parseFiles(printed(['./a\0./b c\0', line + line], ['-d\n/e\0', line]));

    expect(files).toEqual(
      ['a', 'b c', '-d\n/e'].map((path) => ({
        path,
        mode: 0o100_644,
        sizeBytes: 12,
        times: '2026-11-26 13:00:00.5 +0000 2026-11-26 13:00:01.5 +0000',
      })),
    );
  });

  it('holds each file once', () => {
    expect(parseFiles(printed(['./a\0a\0', line + line]))).toHaveLength(1);
  });

  it('is empty without files', () => {
    expect(parseFiles(Buffer.from(''))).toEqual([]);
  });

  it.each([
    ['some', printed(['./a\0./b\0', line])],
    ['all', printed(['./a\0', ''])],
  ])('is refused when %s files were deleted at the same time', (_, output) => {
    expect(() => parseFiles(output)).toThrow(expect.objectContaining({ code: 'changed_since_snapshot' }));
  });

  it('has another hash when only the times differ', () => {
    const [before] = parseFiles(printed(['./a\0', line]));
    const [after] = parseFiles(printed(['./a\0', line.replace('00.5', '00.6')]));

    expect(hashOfListing(after)).not.toBe(hashOfListing(before));
  });
});
