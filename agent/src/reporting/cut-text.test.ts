import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutMark, cutText, headOf } from './cut-text.js';

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });

it('leaves alone what fits, and cuts the rest on a character, marked, within the limit', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 20, max: 300 }), (text, maxBytes) => {
      const cut = cutText(text, maxBytes);

      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      if (Buffer.byteLength(text) <= maxBytes) expect(cut).toBe(text);
      else {
        expect(cut.endsWith(cutMark)).toBe(true);
        expect(text.startsWith(cut.slice(0, -cutMark.length))).toBe(true);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }
    }),
  );
});

it('takes as much of a text as fits: no character more, and none less', () => {
  expect(headOf('grün', 3)).toBe('gr');
  expect(headOf('grün', 4)).toBe('grü');
  expect(headOf('a😀b', 4)).toBe('a');
  expect(headOf('a😀b', 5)).toBe('a😀');
  expect(headOf('a', 0)).toBe('');
});
