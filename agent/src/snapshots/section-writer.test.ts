import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { ArchiveWriter } from './archive.js';
import { addSections, type Section } from './section-writer.js';

/** Reads each section, and remembers which ones. */
function archive() {
  const written: [name: string, content: string][] = [];
  const add = async (name: string, content: Readable | Buffer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content) chunks.push(chunk as Buffer);
    written.push([name, Buffer.concat(chunks).toString()]);
  };
  return { written, writer: { add } as unknown as ArchiveWriter };
}

/** Sections of scripts whose outputs the test ends. */
function scripts(count: number) {
  const begun: (PassThrough | null)[] = Array.from({ length: count }, () => null);
  const sections = begun.map(
    (_, index): Section => ({
      name: `${index}`,
      content: async () => {
        const output = new PassThrough();
        begun[index] = output;
        return output;
      },
    }),
  );
  return { begun, sections, running: () => begun.filter(Boolean).length };
}

it('begins four scripts, and the next one when one is written', async () => {
  const { written, writer } = archive();
  const { begun, sections, running } = scripts(6);
  const done = addSections(writer, sections);
  await vi.waitFor(() => expect(running()).toBe(4));
  begun[1]?.end('second');
  await setImmediate();
  expect(running()).toBe(4);

  begun[0]?.end('first');
  await vi.waitFor(() => expect(running()).toBe(6));
  for (const output of begun.slice(2)) output?.end('x');
  await done;

  expect(written.slice(0, 2)).toEqual([
    ['0', 'first'],
    ['1', 'second'],
  ]);
});

it('writes sections in their order, with and without a script', async () => {
  const { written, writer } = archive();
  await addSections(writer, [
    { name: 'a', content: Buffer.from('1') },
    { name: 'b', content: async () => Buffer.from('2') },
    { name: 'c', content: Buffer.alloc(0) },
  ]);

  expect(written).toEqual([
    ['a', '1'],
    ['b', '2'],
    ['c', ''],
  ]);
});

it('fails with the script that fails, also before its turn, and ends the others', async () => {
  const { written, writer } = archive();
  const { begun, sections, running } = scripts(3);
  const done = addSections(writer, sections);
  done.catch(() => undefined);
  await vi.waitFor(() => expect(running()).toBe(3));
  begun[1]?.destroy(new Error('Snapshot script exited with 2'));
  await setImmediate();
  begun[0]?.end('first');

  await expect(done).rejects.toThrow('Snapshot script exited with 2');
  expect(written).toEqual([['0', 'first']]);
  await vi.waitFor(() => expect(begun[2]?.destroyed).toBe(true));
});

it('fails with the script that could not begin', async () => {
  const { writer } = archive();
  const { begun, sections } = scripts(1);
  const failing: Section = { name: 'x', content: () => Promise.reject(new Error('no container')) };
  const done = addSections(writer, [...sections, failing]);
  done.catch(() => undefined);
  await vi.waitFor(() => expect(begun[0]).not.toBeNull());
  begun[0]?.end();

  await expect(done).rejects.toThrow('no container');
});
