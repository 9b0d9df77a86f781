import { randomBytes } from 'node:crypto';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { LargeWrites, largeWriteBytes, WriteBuffers } from './large-writes.js';

/** Copies each chunk later, as a compressor reads it in another thread. */
function slowTarget() {
  const taken: Buffer[] = [];
  const target = new Writable({
    write: (chunk: Buffer, _, done) => {
      setTimeout(() => {
        taken.push(Buffer.from(chunk));
        done();
      }, 2);
    },
  });
  return { target, taken };
}

function* inChunks(content: Buffer, bytes: number) {
  for (let from = 0; from < content.length; from += bytes) yield content.subarray(from, from + bytes);
}

it.each([
  ['small chunks', 40_000],
  ['chunks of several buffers', 2.5 * largeWriteBytes],
])('passes %s as they are, in large writes', async (_, bytes) => {
  const buffers = new WriteBuffers();
  // The second content gets the buffers of the first one.
  for (const content of [randomBytes(7 * largeWriteBytes + 5), randomBytes(3 * largeWriteBytes)]) {
    const { target, taken } = slowTarget();
    await pipeline(Readable.from(inChunks(content, bytes)), new LargeWrites(target, buffers));
    if (!target.writableFinished) await new Promise((resolve) => target.once('finish', resolve));

    expect(Buffer.concat(taken).equals(content)).toBe(true);
    expect(taken.slice(0, -1).every(({ length }) => length === largeWriteBytes)).toBe(true);
  }
});

it('a source that fails fails the compressor', async () => {
  const { target } = slowTarget();
  const failed = new Promise((resolve) => target.once('error', resolve));
  const source = new PassThrough();
  const read = pipeline(source, new LargeWrites(target, new WriteBuffers()));
  source.write(randomBytes(10));
  source.destroy(new Error('Snapshot script exited with 2'));

  await expect(read).rejects.toThrow('Snapshot script exited with 2');
  expect(await failed).toEqual(new Error('Snapshot script exited with 2'));
});

it('a compressor that fails ends the source', async () => {
  const target = new Writable({ write: (_, __, done) => done(new Error('The disk is full')) });
  target.on('error', () => undefined);
  const source = Readable.from(inChunks(randomBytes(20 * largeWriteBytes), largeWriteBytes));

  await expect(pipeline(source, new LargeWrites(target, new WriteBuffers()))).rejects.toThrow();
  expect(source.destroyed).toBe(true);
});
