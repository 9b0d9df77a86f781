import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from './archive.js';

const limitBytes = 100_000_000;

async function archive(contents: Readonly<Record<string, Buffer>>) {
  const path = join(mkdtempSync(join(tmpdir(), 'archive-')), 'wip');
  await using writer = await ArchiveWriter.create({ artifact: 'wip', path, limitBytes });
  for (const [name, content] of Object.entries(contents)) await writer.add(name, content);
  return {
    path,
    sections: writer.sections,
    reader: new ArchiveReader({ wip: path }, writer.sections, limitBytes),
  };
}

const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * index) >> 7));

it('a section that is verified in advance is read as it was written', async () => {
  const { reader } = await archive({ first: large, empty: Buffer.alloc(0), last: Buffer.from('end') });

  for (const name of ['first', 'empty', 'last']) reader.verify(name);

  expect((await reader.read('first')).equals(large)).toBe(true);
  expect(await reader.read('empty')).toEqual(Buffer.alloc(0));
  expect((await reader.read('last')).toString()).toBe('end');
});

it.each([true, false])(
  'a damaged section is not opened, others are (verified in advance: %s)',
  async (isAhead) => {
    const { path, sections, reader } = await archive({ first: large, last: Buffer.from('end') });
    const damaged = readFileSync(path);
    const at = (sections[0]?.sizeBytes ?? 0) >> 1;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    if (isAhead) reader.verify('first');

    await expect(reader.open('first')).rejects.toThrow('hash mismatch');
    await expect(reader.open('first')).rejects.toThrow('hash mismatch');
    expect((await reader.read('last')).toString()).toBe('end');
  },
);
