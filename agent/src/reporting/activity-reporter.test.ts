import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { Log } from '../log/log.js';
import { ActivityReporter } from './activity-reporter.js';

const settings = {
  debounceMs: 750,
  repeatMs: 60_000,
  working: { attempts: 2, backoffMs: 500 },
  resting: { attempts: 5, backoffMs: 1_000 },
};
const log = new Log({ level: 'error', format: 'json' }, () => undefined);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start(projectId: string | null = 'project') {
  const told: unknown[] = [];
  const answers: { next: () => Promise<void> } = { next: async () => undefined };
  const reporter = new ActivityReporter(
    // Only what the reporter itself looks at.
    { workspaceId: 'W', sessionId: 'S', projectId } as SessionRecord,
    {
      settings,
      send: (_, report) => {
        told.push(report);
        return answers.next();
      },
      log,
    },
  );
  return { told, answers, reporter };
}

const prompting = (promptStartedAt: number) => ({ activity: 'prompting' as const, promptStartedAt });

it('tells quick changes as one', async () => {
  const { told, reporter } = start();
  reporter.set({ activity: 'recovering' });
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(300);
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(450);

  expect(told).toEqual([prompting(7)]);
});

it('repeats the same while the work goes on, with the same beginning, and no more once it is over', async () => {
  const { told, reporter } = start();
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(125_000);
  reporter.set({ activity: 'idle' });

  await vi.advanceTimersByTimeAsync(300_000);

  expect(told).toEqual([prompting(7), prompting(7), prompting(7), { activity: 'idle' }]);
});

it('gives a new prompt a new beginning', async () => {
  const { told, reporter } = start();
  for (const at of [1, 2]) {
    reporter.set(prompting(at));
    await vi.advanceTimersByTimeAsync(1_000);
  }

  expect(told).toEqual([prompting(1), prompting(2)]);
});

it('tells an error at once, and never lets rest hide it', async () => {
  const { told, reporter } = start();
  reporter.set(prompting(7));
  reporter.set({ activity: 'error', statusError: 'deadline; token=hidden-secret' });
  reporter.set({ activity: 'idle' });

  await vi.advanceTimersByTimeAsync(10_000);

  expect(told).toEqual([{ activity: 'error', statusError: 'deadline; token=[redacted]' }]);
});

it('tells an error before what came after it', async () => {
  const { told, answers, reporter } = start();
  const first = Promise.withResolvers<void>();
  answers.next = () => first.promise;
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(750);
  reporter.set({ activity: 'error', statusError: 'crash' });
  reporter.set({ activity: 'recovering' });
  await vi.advanceTimersByTimeAsync(750);
  answers.next = async () => undefined;
  first.resolve();

  await vi.advanceTimersByTimeAsync(0);

  expect(told).toEqual([
    prompting(7),
    { activity: 'error', statusError: 'crash' },
    { activity: 'recovering' },
  ]);
});

it('never has two reports under way', async () => {
  const { answers, reporter } = start();
  let underWay = 0;
  let most = 0;
  answers.next = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    underWay -= 1;
  };
  for (let at = 1; at <= 20; at++) {
    reporter.set(at % 2 ? prompting(at) : { activity: 'idle' });
    await vi.advanceTimersByTimeAsync(900);
  }

  expect(most).toBe(1);
});

it.each([
  ['the beginning of work', prompting(7), 2],
  ['its end', { activity: 'idle' as const }, 5],
])('tries %s so many times', async (_, activity, times) => {
  const { told, answers, reporter } = start();
  answers.next = async () => {
    throw new CallbackUnavailable('away');
  };
  reporter.set(activity);

  await vi.advanceTimersByTimeAsync(50_000);

  expect(told).toHaveLength(times);
});

it('gives up what is out of date, and what is refused', async () => {
  const { told, answers, reporter } = start();
  answers.next = async () => {
    throw new CallbackUnavailable('away');
  };
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(760);
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(760);
  answers.next = async () => {
    throw new CallbackRefused('/activity', 404, 'NOT_FOUND', 'no');
  };
  await vi.advanceTimersByTimeAsync(20_000);

  expect(told).toEqual([{ activity: 'idle' }, prompting(7)]);
});

it('tells nobody without a project', async () => {
  const { told, reporter } = start(null);
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(200_000);

  expect(told).toEqual([]);
});

it('tells what is waiting when it ends, and nothing afterwards', async () => {
  const { told, reporter } = start();
  reporter.set({ activity: 'idle' });
  await reporter[Symbol.asyncDispose]();
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(200_000);

  expect(told).toEqual([{ activity: 'idle' }]);
});
