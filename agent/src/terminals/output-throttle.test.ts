import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FairScheduler, OutputThrottle, turnBytes } from './output-throttle.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function shellOf(turns: FairScheduler) {
  const shell = {
    isPaused: false,
    pause: () => {
      shell.isPaused = true;
    },
    resume: () => {
      shell.isPaused = false;
    },
  };
  return { shell, pace: new OutputThrottle(shell, () => undefined, turns) };
}

function floodAndTypist() {
  const turns = new FairScheduler(4);
  return { flood: shellOf(turns), typist: shellOf(turns) };
}

const watched = new Map();

it('pauses a shell after its turn while a person types in another, then resumes it', () => {
  const { flood, typist } = floodAndTypist();
  typist.pace.onInput();

  flood.pace.onOutput(turnBytes - 1);
  expect(flood.shell.isPaused).toBe(false);
  flood.pace.onOutput(1);
  expect(flood.shell.isPaused).toBe(true);
  flood.pace.regulate(watched, 0, 0);
  expect(flood.shell.isPaused).toBe(true);

  vi.advanceTimersByTime(5);
  expect(flood.shell.isPaused).toBe(false);
});

it('never pauses the shell in which a person types', () => {
  const { flood, typist } = floodAndTypist();
  flood.pace.onOutput(turnBytes);
  typist.pace.onInput();
  typist.pace.onOutput(10 * turnBytes);

  expect([flood.shell.isPaused, typist.shell.isPaused]).toEqual([false, false]);
});

it('stays paused after its turn while its viewers lag', () => {
  const { flood, typist } = floodAndTypist();
  typist.pace.onInput();
  flood.pace.onOutput(turnBytes);
  flood.pace.regulate(watched, 500_000, 500_000);
  vi.advanceTimersByTime(5);
  expect(flood.shell.isPaused).toBe(true);

  flood.pace.regulate(watched, 500_000, 0);
  expect(flood.shell.isPaused).toBe(false);
});

const [typist, flood, otherFlood] = ['typist', 'flood', 'other flood'];

function turnsAt(clock: { ms: number }) {
  return new FairScheduler(4, () => clock.ms);
}

it('does not pause a flood while nobody types', () => {
  expect(turnsAt({ ms: 1_000 }).restMs(flood)).toBe(0);
});

it('does not pause a flood for keys typed in its own terminal', () => {
  const turns = turnsAt({ ms: 1_000 });
  turns.onInput(flood);

  expect(turns.restMs(flood)).toBe(0);
});

it('gives floods turns while a person types', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.onInput(typist);

  expect([turns.restMs(flood), turns.restMs(otherFlood)]).toEqual([5, 10]);

  clock.ms += 5;
  expect(turns.restMs(flood)).toBe(10);
});

it('makes turns longer with fewer processors', () => {
  const turns = new FairScheduler(1, () => 1_000);
  turns.onInput(typist);

  expect([turns.restMs(flood), turns.restMs(otherFlood)]).toEqual([20, 40]);
});

it('does not accumulate unused turns', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.onInput(typist);
  turns.restMs(flood);

  clock.ms += 400;
  expect(turns.restMs(flood)).toBe(5);
});

it('does not pause a flood 500 ms after the last key', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.onInput(typist);

  clock.ms += 501;
  expect(turns.restMs(flood)).toBe(0);
});
