import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FlushTimer } from './flush-timer.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const at: number[] = [];
  const began = performance.now();
  return { clock: new FlushTimer(() => at.push(performance.now() - began)), at };
}

it('sends at once after a pause', () => {
  const { clock, at } = start();
  vi.advanceTimersByTime(20);

  clock.request(false);

  expect(at).toEqual([20]);
});

it('increases the interval during a flood, and sends at once after the next pause', () => {
  const { clock, at } = start();
  vi.advanceTimersByTime(20);
  for (let ms = 0; ms < 60; ms += 1) {
    clock.request(false);
    vi.advanceTimersByTime(1);
  }
  expect(at).toEqual([20, 23, 29, 41, 53, 65, 77]);

  vi.advanceTimersByTime(50);
  at.splice(0);
  clock.request(false);
  clock.request(false);
  vi.advanceTimersByTime(5);
  expect(at).toEqual([130, 133]);
});

it('sends a full frame in the next event loop turn', () => {
  const { clock, at } = start();
  vi.advanceTimersByTime(20);
  clock.request(false);

  clock.request(true);
  expect(at).toHaveLength(1);
  vi.advanceTimersByTime(0);
  expect(at).toEqual([20, 20]);
});
