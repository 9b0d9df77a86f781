import fc from 'fast-check';
import { expect, it } from 'vitest';
import { integer, objectIdentifier, octetString, time } from './der.js';

it.each([
  [0, '0400'],
  [127, '047f'],
  [128, '048180'],
  [255, '0481ff'],
  [256, '04820100'],
  [65_536, '0483010000'],
])('states that %i bytes follow', (length, head) => {
  expect(octetString(Buffer.alloc(length)).toString('hex')).toBe(head + '00'.repeat(length));
});

it('encodes integers as positive and minimal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const [tag, length, ...content] = integer(bytes);
      const value = (of: ArrayLike<number>) => BigInt(`0x0${Buffer.from(Array.from(of)).toString('hex')}`);

      expect([tag, length]).toEqual([0x02, content.length]);
      expect(value(content)).toBe(value(bytes));
      expect(content[0]).toBeLessThan(0x80);
      expect(content[0] === 0 && content.length > 1 && (content[1] ?? 0) < 0x80).toBe(false);
    }),
    {
      examples: [
        [Uint8Array.of()],
        [Uint8Array.of(0x80)],
        [Uint8Array.of(0, 0, 0xff)],
        [Uint8Array.of(0, 0x7f)],
      ],
    },
  );
});

it.each([
  ['2.5.29.17', '0603551d11'],
  ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
  ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ['1.2.128.16384', '06062a8100818000'],
])('writes the identifier %s', (text, hex) => {
  expect(objectIdentifier(text).toString('hex')).toBe(hex);
});

it.each([
  ['2049-12-31T23:59:59.999Z', '\x17\x0d491231235959Z'],
  ['2050-01-01T00:00:00.000Z', '\x18\x0f20500101000000Z'],
])('writes the year of %s as RFC 5280 asks', (date, written) => {
  expect(time(new Date(date)).toString()).toBe(written);
});
