import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeTerminalFrame, encodeInputFrame, encodeOutputFrame } from './terminal-frames.js';

const sessionId = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/);
const bytes = fc.uint8Array({ maxLength: 300 });

it('gives back every output frame it encoded', () => {
  fc.assert(
    fc.property(sessionId, fc.maxSafeNat(), bytes, (id, offset, payload) => {
      const frame = decodeTerminalFrame(encodeOutputFrame(id, offset, payload));

      expect(frame).toEqual({ kind: 'output', sessionId: id, offset, bytes: new Uint8Array(payload) });
    }),
  );
});

it('gives back every input frame it encoded', () => {
  fc.assert(
    fc.property(sessionId, bytes, (id, payload) => {
      const frame = decodeTerminalFrame(encodeInputFrame(id, payload));

      expect(frame).toEqual({ kind: 'input', sessionId: id, bytes: new Uint8Array(payload) });
    }),
  );
});

it('lays an output frame out as documented', () => {
  expect([...encodeOutputFrame('ab', 258, Uint8Array.of(9))]).toEqual([
    1, 2, 97, 98, 0, 0, 0, 0, 0, 0, 1, 2, 9,
  ]);
});

it('never throws on foreign bytes', () => {
  fc.assert(
    fc.property(bytes, (frame) => {
      const decoded = decodeTerminalFrame(new Uint8Array(frame));

      if (frame.length < 2) expect(decoded).toBeNull();
    }),
  );
});

it.each([
  ['an unknown kind', [3, 1, 97]],
  ['an id longer than the frame', [2, 5, 97]],
  ['an output frame without its offset', [1, 1, 97, 0, 0]],
])('refuses %s', (_, frame) => {
  expect(decodeTerminalFrame(Uint8Array.from(frame))).toBeNull();
});
