import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { StreamingText } from './draft.js';

const secondMs = 1_000;

/** The number of parts of a text that grows for this time and is checked once a second. */
function partsAfter(seconds: number): number {
  const text = new StreamingText('m', 0);
  let parts = 1;
  let startedAt = 0;
  for (let now = 0; now < seconds * secondMs; now += secondMs) {
    if (!text.endsPart(startedAt, now)) continue;
    parts += 1;
    startedAt = now;
  }
  return parts;
}

it('is sent in few parts, at any speed: 10,000 pieces', () => {
  expect(partsAfter(100)).toBeLessThanOrEqual(20);
  expect(partsAfter(500)).toBeLessThanOrEqual(29);
  expect(partsAfter(30_000)).toBeLessThanOrEqual(55);
});

it('is sent soon at first, and within a minute for 15 minutes', () => {
  expect(partsAfter(3)).toBeGreaterThan(2);
  const text = new StreamingText('m', 0);
  for (let at = 0, startedAt = 0; at < 900; at++) {
    if (text.endsPart(startedAt * secondMs, at * secondMs)) startedAt = at;
    expect(at - startedAt).toBeLessThan(60);
  }
});

it('returns whole characters, wherever pieces split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 3 }), (text, size) => {
      const streaming = new StreamingText('m', 0);
      const taken: string[] = [];
      for (let at = 0; at < text.length; at += size) taken.push(streaming.take(text.slice(at, at + size)));

      expect(taken.every((piece) => piece.isWellFormed())).toBe(true);
      expect(taken.join('')).toBe(text);
    }),
  );
});
