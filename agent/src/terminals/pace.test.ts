import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pace } from './pace.js';
import { Turns, turnBytes } from './turns.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function shellOf(turns: Turns) {
  const shell = {
    isPaused: false,
    pause: () => {
      shell.isPaused = true;
    },
    resume: () => {
      shell.isPaused = false;
    },
  };
  return { shell, pace: new Pace(shell, () => undefined, turns) };
}

function floodAndTypist() {
  const turns = new Turns(4);
  return { flood: shellOf(turns), typist: shellOf(turns) };
}

const watched = new Map();

it('lets a shell rest after its turn while somebody types in another, and go on after it', () => {
  const { flood, typist } = floodAndTypist();
  typist.pace.typed();

  flood.pace.took(turnBytes - 1);
  expect(flood.shell.isPaused).toBe(false);
  flood.pace.took(1);
  expect(flood.shell.isPaused).toBe(true);
  flood.pace.regulate(watched, 0, 0);
  expect(flood.shell.isPaused).toBe(true);

  vi.advanceTimersByTime(5);
  expect(flood.shell.isPaused).toBe(false);
});

it('never lets the shell rest in which somebody types', () => {
  const { flood, typist } = floodAndTypist();
  flood.pace.took(turnBytes);
  typist.pace.typed();
  typist.pace.took(10 * turnBytes);

  expect([flood.shell.isPaused, typist.shell.isPaused]).toEqual([false, false]);
});

it('does not go on after its turn while its viewers lag', () => {
  const { flood, typist } = floodAndTypist();
  typist.pace.typed();
  flood.pace.took(turnBytes);
  flood.pace.regulate(watched, 500_000, 500_000);
  vi.advanceTimersByTime(5);
  expect(flood.shell.isPaused).toBe(true);

  flood.pace.regulate(watched, 500_000, 0);
  expect(flood.shell.isPaused).toBe(false);
});
