import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorkspace } from '../../../test/support/records.js';
import { type Chat, type ChatActivity, newChat } from '../chats/chat.js';
import { earliestRest, isAbandoned, restOf } from './idle-rules.js';
import type { Workspace } from './workspace.js';

const start = Date.parse('2026-11-23T08:00:00.000Z');
const at = (minutes: number) => new Date(start + minutes * 60_000);
const iso = (minutes: number) => at(minutes).toISOString();

const workspace = (row: Partial<Workspace> = {}) => aWorkspace(row, at(0));

const turn = (activity: ChatActivity['activity'], report: number, since = report): ChatActivity => ({
  ...{ activity, activityAt: iso(report), since: iso(since) },
  ...{ promptStartedAt: null, agentType: null, restartCount: 0, statusError: null },
});

function chat(row: Partial<Chat> = {}): Chat {
  const { workspaceId, userId } = workspace();
  const asked = { chatId: workspaceId, projectId: workspaceId, userId, workspaceId };
  return { ...newChat({ ...asked, topic: null, taskId: null }, at(0)), ...row };
}

const work = (progressAt: number) =>
  ({ state: 'active', count: 1, source: null, progressAt: iso(progressAt) }) as const;

describe('a workspace with a chat sleeps 15 minutes after', () => {
  it.each<[string, number, Partial<Chat>, Partial<Workspace>]>([
    ['its start', 15, {}, {}],
    ['the last message', 55, { lastMessageAt: iso(40) }, {}],
    ['the last report of a turn', 75, { activity: turn('prompting', 60, 10) }, {}],
    ['the end of the turn, whatever is repeated later', 25, { activity: turn('idle', 60, 10) }, {}],
    ['the failure of the agent', 25, { activity: turn('error', 10) }, {}],
    ['the last use of terminals and ports', 85, { lastMessageAt: iso(40) }, { lastUsedAt: iso(70) }],
    ['it was ready again', 35, {}, { readyAt: iso(20) }],
  ])('%s', (_, minutes, row, own) => {
    const rest = restOf({ workspace: workspace(own), chats: [chat(row)], idleTimeoutMs: null });

    expect(rest).toEqual({ kind: 'sleep', lastActivityAt: at(minutes - 15), dueAt: at(minutes) });
  });

  it('the activity of its last active chat', () => {
    const chats = [chat({ lastMessageAt: iso(5) }), chat({ lastMessageAt: iso(50) })];

    expect(restOf({ workspace: workspace(), chats })?.dueAt).toEqual(at(65));
  });
});

describe('background work of the harness', () => {
  it.each([
    ['postpones the sleep to five minutes after its last sign', 22, 27],
    ['postpones it by 30 minutes at most', 100, 55],
    ['postpones nothing once its lease has ended', 5, 25],
  ])('%s', (_, progress, due) => {
    const activity = { ...turn('idle', 100, 10), work: work(progress) };

    expect(restOf({ workspace: workspace(), chats: [chat({ activity })] })?.dueAt).toEqual(at(due));
  });
});

describe('a workspace does not sleep', () => {
  it.each<[string, Partial<Chat>]>([
    ['while a prompt waits', { queuedPrompts: 1 }],
    ['while a prompt is delivered', { deliveringId: 'one' }],
    ['before the agent has confirmed a prompt', { unconfirmedId: 'one' }],
  ])('%s', (_, row) => {
    const rest = restOf({ workspace: workspace(), chats: [chat(), chat(row)] });

    expect(rest).toMatchObject({ kind: 'sleep', dueAt: undefined });
  });

  it.each<[string, Partial<Workspace>]>([
    ['that sleeps', { status: 'sleeping' }],
    ['that is stopped', { status: 'stopped' }],
    ['that starts', { status: 'provisioning' }],
    ['whose deletion is claimed', { deletion: { attempt: 1, claimedAt: iso(0) } }],
    [
      'that is captured',
      { sleep: { claimId: 'one', claimedAt: iso(0), by: 'person', phase: 'capturing', from: 'running' } },
    ],
  ])('%s', (_, row) => {
    expect(restOf({ workspace: workspace(row), chats: [] })).toBeUndefined();
  });
});

describe('a workspace without a chat', () => {
  it('stops after two hours, or the time of its project', () => {
    const rows = { workspace: workspace({ lastUsedAt: iso(30) }), chats: [] };

    expect(restOf(rows)).toEqual({ kind: 'stop', lastActivityAt: at(30), dueAt: at(150) });
    expect(restOf({ ...rows, idleTimeoutMs: 30 * 60_000 })?.dueAt).toEqual(at(60));
  });
});

it('stays awake until the time that its owner asked for', () => {
  const kept = workspace({ keptAwakeUntil: iso(300) });

  expect(restOf({ workspace: kept, chats: [chat()] })?.dueAt).toEqual(at(300));
  expect(restOf({ workspace: kept, chats: [] })?.dueAt).toEqual(at(300));
  expect(isAbandoned({ workspace: kept, chats: [] }, at(299))).toBe(false);
});

it('is abandoned two hours after its last activity, also while a prompt waits', () => {
  const rows = { workspace: workspace(), chats: [chat({ queuedPrompts: 1, lastMessageAt: iso(10) })] };

  expect([isAbandoned(rows, at(129)), isAbandoned(rows, at(130))]).toEqual([false, true]);
});

describe('for any rows', () => {
  const minute = fc.integer({ min: 0, max: 3_000 });
  const activities = fc
    .record({
      activity: fc.constantFrom('prompting', 'idle', 'recovering', 'error'),
      report: minute,
      since: minute,
      progress: fc.option(minute),
    })
    .map(({ activity, report, since, progress }) => ({
      ...turn(activity, report, since),
      ...(progress === null ? {} : { work: work(progress) }),
    }));
  const chats = fc.array(
    fc.record({ activity: fc.option(activities), lastMessageAt: fc.option(minute.map(iso)) }).map(chat),
    { maxLength: 3 },
  );
  const own = fc
    .record({ lastUsedAt: minute.map(iso), keptAwakeUntil: minute.map(iso) }, { requiredKeys: [] })
    .map(({ ...row }) => workspace({ ...row, agentSessions: new Set(['one']) }));
  const timeouts = fc.option(fc.integer({ min: 30, max: 1_440 }).map((minutes) => minutes * 60_000));
  const rows = fc.record({ workspace: own, chats, idleTimeoutMs: timeouts });

  it('more activity never ends a workspace earlier', () => {
    fc.assert(
      fc.property(rows, minute, fc.nat(2), ({ workspace: row, chats: open, ...rest }, used, which) => {
        const before = restOf({ workspace: row, chats: open, ...rest })?.dueAt?.getTime() ?? 0;
        const usedRow = { ...row, lastUsedAt: iso(Math.max(used, minutesOf(row.lastUsedAt))) };
        const written = open.map((one, index) =>
          index === which
            ? { ...one, lastMessageAt: iso(Math.max(used, minutesOf(one.lastMessageAt))) }
            : one,
        );

        for (const after of [
          { workspace: usedRow, chats: open, ...rest },
          { workspace: row, chats: written, ...rest },
        ])
          expect(restOf(after)?.dueAt?.getTime()).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('no workspace rests before the bound from its own row', () => {
    fc.assert(
      fc.property(rows, (one) => {
        expect(restOf(one)?.dueAt?.getTime()).toBeGreaterThanOrEqual(earliestRest(one.workspace).getTime());
      }),
    );
  });

  const minutesOf = (time: string | null | undefined) => (time ? (Date.parse(time) - start) / 60_000 : 0);
});
