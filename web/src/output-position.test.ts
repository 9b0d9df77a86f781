import { describe, expect, it } from 'vitest';
import { OutputPosition } from './output-position.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunk: Uint8Array) => new TextDecoder().decode(chunk);

describe('the position in the output', () => {
  it('begins at the offset of the first bytes, as a buffer that dropped some does', () => {
    const position = new OutputPosition();

    const taken = position.take(100, bytes('abc'));

    expect([text(taken.fresh), taken.missing, position.offset]).toEqual(['abc', 0, 103]);
  });

  it('shows nothing twice', () => {
    const position = new OutputPosition();
    position.take(0, bytes('hello'));

    const overlap = position.take(3, bytes('lo, you'));
    const repeat = position.take(0, bytes('hello'));

    expect([text(overlap.fresh), overlap.missing]).toEqual([', you', 0]);
    expect([text(repeat.fresh), repeat.missing, position.offset]).toEqual(['', 0, 10]);
  });

  it('knows what is missing', () => {
    const position = new OutputPosition();
    position.take(0, bytes('a'));

    expect(position.take(5, bytes('f'))).toMatchObject({ missing: 4 });
    expect(position.offset).toBe(6);
  });

  it('misses nothing where the node has said that it continues later', () => {
    const position = new OutputPosition();
    position.take(0, bytes('a'));
    position.continueAt(50);

    expect(position.take(50, bytes('z'))).toMatchObject({ missing: 0 });
  });
});
