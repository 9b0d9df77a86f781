import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InputPacer } from './input-pacer.js';

const bytes = (text: string) => new TextEncoder().encode(text);
let sent: Uint8Array[];
let pacer: InputPacer;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  pacer = new InputPacer((chunk) => sent.push(chunk));
});
afterEach(() => {
  pacer[Symbol.dispose]();
  vi.useRealTimers();
});

it('sends the first key at once and what follows closely together', () => {
  for (const key of 'ls -l') pacer.type(bytes(key));
  const atOnce = sent.map((chunk) => new TextDecoder().decode(chunk));
  vi.runAllTimers();

  expect(atOnce).toEqual(['l']);
  expect(sent.map((chunk) => new TextDecoder().decode(chunk))).toEqual(['l', 's -l']);
});

it('stays below thirty messages a second, and below the largest message, whatever is pasted', () => {
  pacer.type(new Uint8Array(400_000));
  const begin = Date.now();
  vi.runAllTimers();

  expect(sent.reduce((sum, { length }) => sum + length, 0)).toBe(400_000);
  expect(Math.max(...sent.map(({ length }) => length))).toBeLessThanOrEqual(32_768);
  expect(sent.length / ((Date.now() - begin) / 1_000)).toBeLessThan(30);
});

it('forgets what waits when the connection is lost', () => {
  pacer.type(bytes('a'));
  pacer.type(bytes('rm -rf'));
  pacer.clear();
  vi.runAllTimers();

  expect(sent).toHaveLength(1);
});
