import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { Log } from '../shared/log.js';
import type { PiggybackResult } from './activity.js';
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
  const reports: unknown[] = [];
  const answers: { next: () => Promise<void> } = { next: async () => undefined };
  const outbox = { wait: false };
  const reporter = new ActivityReporter(
    // The fields that the reporter reads.
    { workspaceId: 'W', sessionId: 'S', projectId, agentType: null, restartCount: 0 } as SessionRecord,
    {
      settings,
      send: (_, report) => {
        reports.push(report);
        return answers.next();
      },
      hasUnsentMessages: () => outbox.wait,
      log,
    },
  );
  return { reports, answers, outbox, reporter };
}

const prompting = (promptStartedAt: number) => ({ activity: 'prompting' as const, promptStartedAt });

it('reports quick changes as one', async () => {
  const { reports, reporter } = start();
  reporter.set({ activity: 'recovering' });
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(300);
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(450);

  expect(reports).toEqual([prompting(7)]);
});

it('repeats the report while the session works, with the same promptStartedAt', async () => {
  const { reports, reporter } = start();
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(125_000);
  reporter.set({ activity: 'idle' });

  await vi.advanceTimersByTimeAsync(300_000);

  expect(reports).toEqual([prompting(7), prompting(7), prompting(7), { activity: 'idle' }]);
});

it('reports a new promptStartedAt for a new prompt', async () => {
  const { reports, reporter } = start();
  for (const at of [1, 2]) {
    reporter.set(prompting(at));
    await vi.advanceTimersByTimeAsync(1_000);
  }

  expect(reports).toEqual([prompting(1), prompting(2)]);
});

it('reports an error at once, and no idle after it', async () => {
  const { reports, reporter } = start();
  reporter.set(prompting(7));
  reporter.set({ activity: 'error', statusError: 'deadline; token=hidden-secret' });
  reporter.set({ activity: 'idle' });

  await vi.advanceTimersByTimeAsync(10_000);

  expect(reports).toEqual([{ activity: 'error', statusError: 'deadline; token=[redacted]' }]);
});

it('keeps the error of a turn until the next work', async () => {
  const { reports, reporter } = start();
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(800);
  reporter.set({ activity: 'idle', statusError: 'The agent exited' });
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(800);
  reporter.set(prompting(8));
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(800);

  expect(reports).toEqual([
    prompting(7),
    { activity: 'idle', statusError: 'The agent exited' },
    { activity: 'idle' },
  ]);
});

it('reports an error before later activity', async () => {
  const { reports, answers, reporter } = start();
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

  expect(reports).toEqual([
    prompting(7),
    { activity: 'error', statusError: 'crash' },
    { activity: 'recovering' },
  ]);
});

it('repeats the report of an idle session while its harness works outside of turns', async () => {
  const { reports, reporter } = start();
  reporter.set(prompting(7));
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(800);
  reporter.setWork(2);
  await vi.advanceTimersByTimeAsync(125_000);
  reporter.setWork(0);
  await vi.advanceTimersByTimeAsync(300_000);

  const work = { runtimeWorkState: 'active', runtimeWorkCount: 2, runtimeWorkSource: 'harness' };
  const working = { activity: 'idle', ...work, runtimeWorkProgressAt: expect.any(Number) };
  expect(reports).toEqual([{ activity: 'idle' }, working, working, working, { activity: 'idle' }]);
});

it('never sends two reports at once', async () => {
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
])('limits the attempts of %s', async (_, activity, times) => {
  const { reports, answers, reporter } = start();
  answers.next = async () => {
    throw new CallbackUnavailable('away');
  };
  reporter.set(activity);

  await vi.advanceTimersByTimeAsync(50_000);

  expect(reports).toHaveLength(times);
});

it('gives up outdated and refused reports', async () => {
  const { reports, answers, reporter } = start();
  answers.next = async () => {
    throw new CallbackUnavailable('away');
  };
  reporter.set({ activity: 'idle' });
  await vi.advanceTimersByTimeAsync(760);
  reporter.set(prompting(7));
  await vi.advanceTimersByTimeAsync(760);
  answers.next = async () => {
    throw new CallbackRefused('/activity', { status: 404, code: 'NOT_FOUND', reason: 'no' });
  };
  await vi.advanceTimersByTimeAsync(20_000);

  expect(reports).toEqual([{ activity: 'idle' }, prompting(7)]);
});

it('reports nothing without a project', async () => {
  const { reports, reporter } = start(null);
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(200_000);

  expect(reports).toEqual([]);
});

it('sends the waiting report when it ends, and nothing afterwards', async () => {
  const { reports, reporter } = start();
  reporter.set({ activity: 'idle' });
  await reporter[Symbol.asyncDispose]();
  reporter.set(prompting(7));

  await vi.advanceTimersByTimeAsync(200_000);

  expect(reports).toEqual([{ activity: 'idle' }]);
});

describe('a report with messages', () => {
  const carried = (activity: object) => ({
    ...activity,
    projectId: 'project',
    agentSessionId: 'S',
    restartCount: 0,
  });

  it('is not sent on its own once stored', async () => {
    const { reports, reporter } = start();
    reporter.set(prompting(7));
    const piggyback = reporter.takePiggyback();
    await vi.advanceTimersByTimeAsync(5_000);
    piggyback.end('taken');
    await vi.advanceTimersByTimeAsync(5_000);

    expect(piggyback.activity).toEqual(carried(prompting(7)));
    expect(reports).toEqual([]);
    expect(reporter.takePiggyback().activity).toBeUndefined();
  });

  it.each(['left', 'refused', 'unanswered'] as const)(
    'sends at once, on its own, a report that was %s',
    async (how) => {
      const { reports, reporter } = start();
      reporter.set(prompting(7));
      reporter.takePiggyback().end(how);

      await vi.advanceTimersByTimeAsync(0);

      expect(reports).toEqual([prompting(7)]);
    },
  );

  it('delays only idle until the messages are sent', async () => {
    const { reports, outbox, reporter } = start();
    outbox.wait = true;
    reporter.set(prompting(7));
    await vi.advanceTimersByTimeAsync(750);
    reporter.set({ activity: 'idle' });
    await vi.advanceTimersByTimeAsync(2_000);
    // The request with the messages had no answer.
    reporter.takePiggyback().end('unanswered');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(reports).toEqual([prompting(7)]);

    const piggyback = reporter.takePiggyback();
    outbox.wait = false;
    piggyback.end('taken');
    await vi.advanceTimersByTimeAsync(60_000);

    expect(piggyback.activity).toEqual(carried({ activity: 'idle' }));
    expect(reports).toEqual([prompting(7)]);
  });

  it('sends idle on its own after the messages, or after 30 seconds', async () => {
    const { reports, outbox, reporter } = start();
    outbox.wait = true;
    reporter.set({ activity: 'idle' });
    await vi.advanceTimersByTimeAsync(2_000);
    outbox.wait = false;
    await vi.advanceTimersByTimeAsync(750);
    expect(reports).toEqual([{ activity: 'idle' }]);

    outbox.wait = true;
    reporter.set(prompting(8));
    await vi.advanceTimersByTimeAsync(5_000);
    reporter.set({ activity: 'idle' });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(reports).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);

    expect(reports).toEqual([{ activity: 'idle' }, prompting(8), { activity: 'idle' }]);
  });

  it('never overlaps with another report, and is followed by the newest', async () => {
    const { reports, reporter } = start();
    reporter.set(prompting(7));
    const piggyback = reporter.takePiggyback();
    reporter.set({ activity: 'recovering' });
    reporter.set({ activity: 'idle' });
    await vi.advanceTimersByTimeAsync(2_000);
    const duringRequest = [...reports, reporter.takePiggyback().activity];
    piggyback.end('refused');
    await vi.advanceTimersByTimeAsync(0);

    expect(duringRequest).toEqual([undefined]);
    expect(reports).toEqual([{ activity: 'idle' }]);
  });

  it('is repeated when messages of an earlier run may have hidden it', async () => {
    const { reports, reporter } = start();
    const early = reporter.takePiggyback();
    reporter.set({ activity: 'idle' });
    await vi.advanceTimersByTimeAsync(750);
    early.end('left');
    reporter.takePiggyback().end('left');
    await vi.advanceTimersByTimeAsync(5_000);

    expect(reports).toEqual([{ activity: 'idle' }, { activity: 'idle' }]);
  });

  it('never delays an error, and nothing older follows the error', async () => {
    const { reports, reporter } = start();
    reporter.set(prompting(7));
    const piggyback = reporter.takePiggyback();
    reporter.set({ activity: 'error', statusError: 'crash' });
    piggyback.end('unanswered');
    await vi.advanceTimersByTimeAsync(5_000);

    expect(reports).toEqual([{ activity: 'error', statusError: 'crash' }]);
  });

  it('is sent at the end, also when its messages never arrive', async () => {
    const { reports, reporter } = start();
    reporter.set({ activity: 'idle' });
    const piggyback = reporter.takePiggyback();
    const ended = reporter[Symbol.asyncDispose]();
    piggyback.end('unanswered');
    await ended;

    expect(reports).toEqual([{ activity: 'idle' }]);
  });
});

/** One chat at the control plane: an activity counts only with the first copy of its messages. */
class ChatStub {
  lastSent = 0;
  activity: unknown = null;

  take(last: number, activity: unknown): PiggybackResult {
    if (last <= this.lastSent) return 'left';
    this.lastSent = last;
    if (activity === undefined) return 'left';
    this.activity = activity;
    return 'taken';
  }
}

const step = fc.oneof(
  fc.constantFrom('prompting', 'idle', 'recovering').map((set) => ({ set })),
  fc.constantFrom('arrives', 'lost', 'late').map((batch) => ({ batch })),
  fc.constantFrom(10, 800, 3_000).map((waitMs) => ({ waitMs })),
  fc.boolean().map((isAway) => ({ isAway })),
  fc.boolean().map((hasUnsentMessages) => ({ hasUnsentMessages })),
);

it('never leaves an outdated activity, whatever is lost or late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const chat = new ChatStub();
      const late: (() => void)[] = [];
      let last = 1;
      let at = 0;
      let isAway = false;
      let hasUnsentMessages = false;
      const reporter = new ActivityReporter({ projectId: 'P' } as SessionRecord, {
        // The test needs every report delivered.
        settings: { ...settings, resting: { attempts: 1_000, backoffMs: 10 } },
        send: async (_, { activity, promptStartedAt }) => {
          if (isAway) throw new CallbackUnavailable('away');
          chat.activity = { activity, promptStartedAt };
        },
        hasUnsentMessages: () => hasUnsentMessages,
        log,
      });
      const batch = (how: string) => {
        const { activity: carried, end } = reporter.takePiggyback();
        const reported = carried && { activity: carried.activity, promptStartedAt: carried.promptStartedAt };
        const sent = last;
        if (how === 'late') late.push(() => chat.take(sent, reported));
        if (how !== 'arrives') return end('unanswered');
        end(chat.take(sent, reported));
        last += 1;
      };
      let current: unknown = null;
      for (const one of steps) {
        if ('waitMs' in one) await vi.advanceTimersByTimeAsync(one.waitMs);
        else if ('isAway' in one) isAway = one.isAway;
        else if ('hasUnsentMessages' in one) hasUnsentMessages = one.hasUnsentMessages;
        else if ('batch' in one) batch(one.batch);
        else {
          const reported =
            one.set === 'prompting'
              ? prompting(++at)
              : { activity: one.set as 'idle' | 'recovering', promptStartedAt: undefined };
          reporter.set(reported);
          current = reported;
        }
      }
      isAway = false;
      await vi.advanceTimersByTimeAsync(400_000);
      for (const arrive of late) arrive();
      batch('arrives');
      for (const arrive of late) arrive();
      await vi.advanceTimersByTimeAsync(400_000);

      expect(chat.activity).toEqual(current);
      await reporter[Symbol.asyncDispose]();
    }),
    { numRuns: 500 },
  );
});
