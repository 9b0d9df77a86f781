import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteRing } from './byte-ring.js';

it('holds exactly the tail of everything written, at its absolute offsets', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 32 }), chunks, fc.nat(600), (capacity, written, offset) => {
      const ring = new ByteRing(capacity);
      for (const chunk of written) ring.append(chunk);

      const all = Buffer.concat(written);
      const from = Math.min(Math.max(offset, all.length - capacity, 0), all.length);
      expect(ring.end).toBe(all.length);
      expect(ring.start).toBe(Math.max(0, all.length - capacity));
      expect(ring.read(offset, 1_000)).toEqual({ offset: from, bytes: all.subarray(from) });
    }),
  );
});

it('reads in pieces without losing or repeating a byte', () => {
  const ring = new ByteRing(8);
  ring.append(Buffer.from('abcdefghijk'));

  const first = ring.read(0, 3);
  const second = ring.read(first.offset + first.bytes.length, 100);

  expect(first).toEqual({ offset: 3, bytes: Buffer.from('def') });
  expect(second).toEqual({ offset: 6, bytes: Buffer.from('ghijk') });
});

it('gives a copy that later output does not change', () => {
  const ring = new ByteRing(4);
  ring.append(Buffer.from('abcd'));
  const { bytes } = ring.read(0, 4);

  ring.append(Buffer.from('wxyz'));

  expect(Buffer.from(bytes).toString()).toBe('abcd');
});
