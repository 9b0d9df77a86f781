import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionWatch } from './terminal-watch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(answers: () => boolean) {
  const seen = { pings: 0, deadAt: undefined as number | undefined };
  const began = Date.now();
  const watch = new ConnectionWatch(
    () => {
      seen.pings += 1;
      if (answers()) watch.received();
    },
    () => {
      seen.deadAt = Date.now() - began;
    },
    () => Date.now(),
  );
  watch.start();
  return seen;
}

it('notices within ten seconds that nothing answers', () => {
  const seen = watched(() => false);
  vi.advanceTimersByTime(10_000);
  expect(seen.deadAt).toBeLessThanOrEqual(10_000);
  expect(seen.pings).toBe(1);
});

it('stays with a connection that answers', () => {
  const seen = watched(() => true);
  vi.advanceTimersByTime(600_000);
  expect(seen.deadAt).toBeUndefined();
  expect(seen.pings).toBeGreaterThan(50);
});

it('stays with one that answers while the browser delays timers', () => {
  const seen = watched(() => true);
  for (let minute = 0; minute < 3; minute += 1) {
    vi.setSystemTime(Date.now() + 60_000);
    vi.advanceTimersByTime(2_000);
  }
  expect(seen.deadAt).toBeUndefined();
});
