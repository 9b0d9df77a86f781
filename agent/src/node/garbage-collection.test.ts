import { expect, it } from 'vitest';
import { IdleCollector } from './garbage-collection.js';

const mib = 2 ** 20;

function start() {
  const state = { cpuMs: 900, heldBytes: 40 * mib, collections: 0 };
  const collector = new IdleCollector({
    cpuMs: () => state.cpuMs,
    heldBytes: () => state.heldBytes,
    collect: () => {
      state.collections += 1;
      state.heldBytes = 30 * mib;
      state.cpuMs += 80;
    },
  });
  /** One second with so much work, which leaves so much. */
  const second = (cpuMs: number, leftBytes = 0) => {
    state.cpuMs += cpuMs;
    state.heldBytes += leftBytes;
    collector.check();
    return state.collections;
  };
  return { second };
}

it('collects once after the start, but not while the agent is busy', () => {
  const { second } = start();

  expect([second(400), second(100), second(5), second(5), second(5)]).toEqual([0, 0, 1, 1, 1]);
});

it('collects again after a burst above the threshold', () => {
  const { second } = start();
  second(5);

  expect([second(500, 7 * mib), second(500, 1 * mib), second(5), second(5)]).toEqual([1, 1, 2, 2]);
});

it('lowers the threshold with the idle time, down to the minimum', () => {
  const { second } = start();
  second(5);

  expect([second(500, 3 * mib), second(5), second(5), second(5), second(5)]).toEqual([1, 1, 1, 2, 2]);
  expect([second(500, 1 * mib), second(5), second(5), second(5), second(5)]).toEqual([2, 2, 2, 2, 2]);
});

it('resets the threshold after work', () => {
  const { second } = start();
  second(5);

  expect([second(500, 3 * mib), second(5), second(5), second(500), second(5), second(5)]).toEqual(
    Array(6).fill(1),
  );
  expect(second(5)).toBe(2);
});
