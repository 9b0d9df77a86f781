import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteRing } from './byte-ring.js';

/** Everything from `offset` on, in pieces of at most `maxBytes`. */
function readOn(ring: ByteRing, offset: number, maxBytes: number) {
  const pieces = [];
  let next = offset;
  do {
    const { offset: from, bytes } = ring.read(next, maxBytes);
    pieces.push({ offset: from, text: Buffer.from(bytes).toString('latin1') });
    next = from + bytes.length;
  } while (next < ring.end);
  return pieces;
}

it('holds the last bytes written at their absolute offsets', () => {
  // As it is when it grows, and when it cannot.
  const size = fc.oneof(fc.integer({ min: 1, max: 32 }), fc.constant(9_000));
  const chunks = fc.array(
    fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 3_000, maxLength: 6_000 })),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(size, size, chunks, fc.nat(20_000), (capacity, maxBytes, written, offset) => {
      const ring = new ByteRing(capacity);
      for (const chunk of written) ring.append(chunk);

      const all = Buffer.concat(written);
      const from = Math.min(Math.max(offset, all.length - capacity, 0), all.length);
      expect(ring.end).toBe(all.length);
      expect(ring.start).toBe(Math.max(0, all.length - capacity));
      const pieces = readOn(ring, offset, maxBytes);
      expect(pieces[0]?.offset).toBe(from);
      expect(pieces.map(({ text }) => text).join('')).toBe(all.toString('latin1', from));
      expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThanOrEqual(maxBytes);
    }),
  );
});

it('returns chunks by offset, and ends a chunk where the ring wraps', () => {
  const ring = new ByteRing(8);
  ring.append(Buffer.from('abcdefghijk'));

  expect(readOn(ring, 0, 4)).toEqual([
    { offset: 3, text: 'defg' },
    { offset: 7, text: 'h' },
    { offset: 8, text: 'ijk' },
  ]);
});
