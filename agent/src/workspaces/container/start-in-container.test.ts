import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ByteBudget } from '../../streams/byte-budget.js';
import { ExecOutput } from './start-in-container.js';

const frame = (kind: number, body: string) => {
  const header = Buffer.from([kind, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(body), 4);
  return Buffer.concat([header, Buffer.from(body)]);
};

it.each([1, 3, 7, 8, 9, 1_000])('separates the streams in chunks of %i bytes', async (size) => {
  const bytes = Buffer.concat([
    frame(1, 'one '),
    frame(2, 'oh'),
    frame(1, ''),
    frame(1, 'two'),
    frame(2, ' no'),
  ]);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const output = new ExecOutput(new ByteBudget(200_000));

  const read = await text(Readable.from(pieces).pipe(output));

  expect(read).toBe('one two');
  expect(output.stderr).toBe('oh no');
});

it('keeps only the end of standard error', async () => {
  const output = new ExecOutput(new ByteBudget(200_000));

  await text(Readable.from([frame(2, 'x'.repeat(100_000)), frame(2, 'end')]).pipe(output));

  expect(output.stderr).toHaveLength(4_096);
  expect(output.stderr.endsWith('end')).toBe(true);
});

it('fails after the bytes of both streams together', async () => {
  const output = new ExecOutput(new ByteBudget(10));
  const frames = [frame(1, '12345'), frame(2, '12345'), frame(2, '1')];

  await expect(text(Readable.from(frames).pipe(output))).rejects.toMatchObject({ code: 'payload_too_large' });
});
