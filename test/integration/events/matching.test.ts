import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { createSubscription } from '../../../lambdas/domain/event-subscriptions/create-subscription.js';
import {
  cancelSubscription,
  sweepElapsed,
} from '../../../lambdas/domain/event-subscriptions/end-subscription.js';
import {
  type EventSubscription,
  effectiveState,
  subscriptionCountKey,
} from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import {
  followerItem,
  followerKey,
  listFollowers,
} from '../../../lambdas/domain/event-subscriptions/follower.js';
import { matchEvent, matchOverdueEvents } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import { admitEvent, eventPut } from '../../../lambdas/domain/project-events/admit-event.js';
import { eventKey, ProjectEvent } from '../../../lambdas/domain/project-events/project-event.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { countCalls } from '../../support/count-calls.js';
import { loadRoutes } from '../../support/loaded-routes.js';
import { putItem } from '../../support/project.js';
import { aWorkspace } from '../../support/records.js';
import { aChat } from '../prompts/a-chat.js';
import {
  anEvent,
  aSubscription,
  inserted,
  matchesOf,
  readItem,
  readSubscription,
  streamOf,
  subscribe,
} from './event-records.js';

let table: Table;
let live: typeof import('../../../lambdas/streams/live.js').handler;
let projectId: string;
let calls: ReturnType<typeof countCalls>;

const minute = 60_000;
const hour = 60 * minute;
const later = (ms: number) => new Date(Date.now() + ms);
const by = { type: 'human', id: newId() } as const;
const handled = { batchItemFailures: [] };

beforeAll(async () => {
  ({ table } = await loadRoutes([]));
  calls = countCalls(table.client);
  ({ handler: live } = await import('../../../lambdas/streams/live.js'));
});

beforeEach(() => {
  projectId = newId();
});

const readEvent = async ({ eventId }: Pick<ProjectEvent, 'eventId'>) =>
  ProjectEvent.parse(await readItem(table, eventKey(eventId)));

/** Records an event and lets the stream match it. */
async function happened(event = anEvent(projectId), times = 1): Promise<ProjectEvent> {
  await admitEvent(table, event, new Date());
  for (let time = 0; time < times; time += 1)
    expect(await streamOf(live, [inserted(event)])).toEqual(handled);
  return event;
}

const eventIdsOf = async (subscription: EventSubscription) =>
  (await matchesOf(table, subscription)).map(({ eventId }) => eventId);

const counted = async () => (await readItem(table, subscriptionCountKey(projectId)))?.activeCount;

describe('an event', () => {
  it('is recorded once for a delivery key; repeats and conflicts are counted, and the first stays', async () => {
    const event = anEvent(projectId, { deliveryKey: 'run 7' });
    const again = anEvent(projectId, { deliveryKey: 'run 7' }, later(minute));
    const other = anEvent(projectId, { deliveryKey: 'run 7', metadata: { step: 'link' } });

    const first = await admitEvent(table, event, new Date());
    const replay = await admitEvent(table, again, new Date());
    const conflict = await admitEvent(table, other, new Date());

    expect([first, replay, conflict].map(({ outcome }) => outcome)).toEqual([
      'created',
      'duplicate_replay',
      'conflict',
    ]);
    expect(await readEvent(event)).toMatchObject({
      ...{ metadata: { step: 'compile' }, receivedAt: event.receivedAt, state: 'conflicted' },
      ...{ duplicateCount: 1, conflictCount: 1, conflictFingerprint: other.payloadFingerprint },
    });
    expect(conflict.event).toMatchObject({ eventId: event.eventId, metadata: { step: 'compile' } });
    // Another source, or another project, has keys of its own.
    const elsewhere = [anEvent(projectId, { deliveryKey: 'run 7', source: 'x' })];
    elsewhere.push(anEvent(newId(), { deliveryKey: 'run 7' }));
    for (const each of elsewhere)
      expect(await admitEvent(table, each, new Date())).toMatchObject({ outcome: 'created' });
  });

  it('is recorded once when producers race, also in the transaction of one', async () => {
    const event = anEvent(projectId);
    const racing = await Promise.all([
      transact(table, [eventPut(event)]).then(({ committed }) => (committed ? 'created' : 'refused')),
      ...Array.from({ length: 4 }, async () => (await admitEvent(table, event, new Date())).outcome),
    ]);

    expect(racing.filter((outcome) => outcome === 'created')).toHaveLength(1);
    const replays = racing.filter((outcome) => outcome === 'duplicate_replay').length;
    expect((await readEvent(event)).duplicateCount).toBe(replays);
  });
});

describe('the life of a task, session or workspace', () => {
  const task = () => newTask({ taskId: newId(), projectId, userId: newId(), title: 'Mend it' }, new Date());

  it('becomes events, once for each change', async () => {
    const base = { ...task(), run: 1 };
    const chat = aChat({ projectId });
    const workspace = aWorkspace({ projectId, status: 'running' });
    const at = new Date().toISOString();
    const eviction = { generation: 1, nodeId: newId(), reason: 'memory_pressure', at } as const;
    const t = (change: object) => taskItem({ ...base, ...change });
    const c = (change: object) => chatItem({ ...chat, ...change });
    const w = (change: object) => workspaceItem({ ...workspace, ...change });
    const changes: readonly (readonly [string | null, object | undefined, object])[] = [
      ['task.started', t({ status: 'delegated' }), t({ status: 'in_progress', version: 2 })],
      [null, t({ status: 'in_progress' }), t({ status: 'sleeping', version: 3 })],
      [null, t({ status: 'sleeping' }), t({ status: 'in_progress', version: 4 })],
      [null, t({ status: 'in_progress' }), t({ status: 'in_progress', version: 5 })],
      ['task.completed', t({ status: 'in_progress' }), t({ status: 'completed', version: 6 })],
      ['task.failed', t({ status: 'queued' }), t({ status: 'failed', errorMessage: 'No node', version: 7 })],
      ['task.failed', t({ status: 'queued' }), t({ status: 'failed', version: 8 })],
      ['task.cancelled', t({ status: 'draft' }), t({ status: 'cancelled', version: 9 })],
      ['session.started', undefined, c({})],
      ['session.sleeping', c({}), c({ status: 'sleeping', version: 2 })],
      ['session.woke', c({ status: 'sleeping' }), c({ version: 3 })],
      ['session.archived', c({}), c({ status: 'stopped', endReason: 'workspace_deleted', version: 4 })],
      ['session.failed', c({}), c({ status: 'error', version: 5 })],
      ['workspace.evicted', w({}), w({ status: 'evicted', eviction, version: 2 })],
      [null, w({ eviction }), w({ status: 'evicted', eviction, version: 3 })],
      ['workspace.recovered', w({ status: 'recovering', eviction }), w({ version: 4 })],
    ];
    const watched = await subscribe(table, { projectId, filter: { version: 1, source: 'svc.lifecycle' } });

    for (const [, before, after] of changes) {
      const change = [before, after] as [Record<string, unknown> | undefined, Record<string, unknown>];
      expect(await streamOf(live, [change, change])).toEqual(handled);
    }

    await matchOverdueEvents({ table, now: later(2 * minute), log: rootLog });
    const ids = await eventIdsOf(watched);
    const events = await Promise.all(ids.map((eventId) => readEvent({ eventId })));
    const types = changes.flatMap(([type]) => type ?? []);
    expect(events.map(({ eventType }) => eventType).toSorted()).toEqual(types.toSorted());
    expect(events.map(({ duplicateCount }) => duplicateCount)).toEqual(events.map(() => 1));
    const failed = events.find(({ display }) => display.summary === 'No node');
    expect(failed).toMatchObject({
      ...{ eventType: 'task.failed', severity: 'error', subject: { type: 'task', id: base.taskId } },
      metadata: { run: 1, status: 'failed' },
    });
  });

  it('outside of projects has no events', async () => {
    const workspace = aWorkspace({ projectId: null });
    const eviction = { generation: 1, nodeId: newId(), reason: 'oom_kill', at: new Date().toISOString() };
    calls.reset();
    const change = [workspaceItem(workspace), { ...workspaceItem(workspace), eviction, version: 2 }] as const;

    expect(await streamOf(live, [change])).toEqual(handled);
    expect(calls.names.filter((name) => name.includes('Put'))).toEqual([]);
  });
});

describe('matching', () => {
  it('gives an event to the subscriptions of its project that select it, once', async () => {
    const [all, other] = [
      await subscribe(table, { projectId }),
      await subscribe(table, { projectId, filter: { version: 1, source: 'builds', severity: ['info'] } }),
    ];
    const foreign = await subscribe(table, { projectId: newId() });
    const event = await happened(anEvent(projectId), 2);

    expect(await matchesOf(table, all)).toMatchObject([
      { eventId: event.eventId, sequence: 1, state: 'recorded_not_injected', acknowledgedAt: null },
    ]);
    expect(await readSubscription(table, all)).toMatchObject({
      matchCount: 1,
      lastMatchedAt: expect.any(String),
    });
    expect(await eventIdsOf(other)).toEqual([]);
    expect(await eventIdsOf(foreign)).toEqual([]);
    expect(await readEvent(event)).toMatchObject({ matchCount: 1 });
  });

  it('numbers the matches without a gap when events come at the same time', async () => {
    const subscription = await subscribe(table, { projectId });
    const events = Array.from({ length: 4 }, () => anEvent(projectId));

    await Promise.all(events.map((event) => happened(event)));

    const matches = await matchesOf(table, subscription);
    expect(matches.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(matches.map(({ eventId }) => eventId).toSorted()).toEqual(
      events.map(({ eventId }) => eventId).toSorted(),
    );
  });

  it('costs two calls for an event that nobody follows, and the sweep does not repeat it', async () => {
    const event = anEvent(projectId);
    await admitEvent(table, event, new Date());
    calls.reset();

    expect(await streamOf(live, [inserted(event)])).toEqual(handled);
    expect(calls.names).toEqual(['QueryCommand', 'UpdateItemCommand']);
    const item = await readItem(table, eventKey(event.eventId));
    expect(item).not.toHaveProperty('parentPk');
    const month = 30 * 24 * 60 * 60;
    expect(item?.expiresAt).toBe(Math.floor(Date.parse(event.receivedAt) / 1_000) + month);
  });

  it('reads all subscriptions, also with filters of more than one MB together', async () => {
    const names = (field: string) =>
      Array.from({ length: 20 }, (_, index) => `${field}${index}`.padEnd(160, '.'));
    const large = {
      ...{ version: 1 as const, source: names('s'), eventType: names('e') },
      ...{ subjectType: names('t'), subjectId: names('i') },
    };
    const followers = Array.from({ length: 90 }, () =>
      followerItem(aSubscription({ projectId, filter: large })),
    );
    for (let from = 0; from < followers.length; from += 30)
      await Promise.all(followers.slice(from, from + 30).map((each) => putItem(table, each)));

    expect(await listFollowers(table, projectId)).toHaveLength(90);
  });

  it('is done by the sweep when the stream could not do it', async () => {
    const subscription = await subscribe(table, { projectId });
    const event = anEvent(projectId);
    await admitEvent(table, event, new Date());

    await matchOverdueEvents({ table, now: new Date(), log: rootLog });
    expect(await eventIdsOf(subscription)).toEqual([]);
    for (const time of [2, 3]) await matchOverdueEvents({ table, now: later(time * minute), log: rootLog });
    expect(await eventIdsOf(subscription)).toEqual([event.eventId]);
  });
});

describe('a subscription that begins or ends around an event', () => {
  const recorded = async (change: { readonly ago?: number } = {}) => {
    const event = anEvent(projectId, {}, later(-(change.ago ?? 0)));
    await admitEvent(table, event, new Date());
    return event;
  };
  const streamed = (event: ProjectEvent) => streamOf(live, [inserted(event)]);

  it('gets none that was recorded long before it', async () => {
    const event = await recorded({ ago: 5 * minute });
    const subscription = await subscribe(table, { projectId });
    await streamed(event);
    expect(await eventIdsOf(subscription)).toEqual([]);
  });

  it('gets none after its cancellation, and keeps those from before it', async () => {
    const subscription = await subscribe(table, { projectId });
    const first = await happened();
    await cancelSubscription(table, subscription, { by, reason: null, now: new Date() });
    await happened();

    expect(await eventIdsOf(subscription)).toEqual([first.eventId]);
    expect(await readItem(table, followerKey(subscription))).toBeUndefined();
    expect(await counted()).toBe(0);
  });

  it('gets one that was recorded before its expiry and matched after it', async () => {
    const now = later(-hour);
    const subscription = await subscribe(table, { projectId, now, expiresAt: later(-minute).getTime() });
    const [before, after] = [await recorded({ ago: 2 * minute }), await recorded()];
    await streamed(after);
    await streamed(before);

    expect(await eventIdsOf(subscription)).toEqual([before.eventId]);
    expect(effectiveState(await readSubscription(table, subscription), new Date())).toBe('expired');
    await sweepElapsed(table, new Date());
    expect(await readSubscription(table, subscription)).toMatchObject({ state: 'expired', version: 3 });
    expect(await counted()).toBe(0);
  });

  it('has exactly the matches that it counts when it is cancelled at the same time', async () => {
    const subscription = await subscribe(table, { projectId });
    const events = [anEvent(projectId), anEvent(projectId), anEvent(projectId)];
    for (const event of events) await admitEvent(table, event, new Date());

    const [ending] = await Promise.all([
      cancelSubscription(table, subscription, { by, reason: 'Enough', now: new Date() }),
      ...events.map((event) => matchEvent({ table, now: new Date(), log: rootLog }, event)),
    ]);

    expect(ending).toMatchObject({ changed: true, idempotent: false, subscription: { state: 'cancelled' } });
    const { matchCount } = await readSubscription(table, subscription);
    expect((await matchesOf(table, subscription)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: matchCount }, (_, index) => index + 1),
    );
    const [again, once] = [
      await cancelSubscription(table, subscription, { by, reason: null, now: new Date() }),
      await counted(),
    ];
    expect(again).toMatchObject({
      changed: false,
      idempotent: true,
      subscription: { cancelReason: 'Enough' },
    });
    expect(once).toBe(0);
  });
});

describe('a publication in a channel', () => {
  const filter = { version: 1, source: 'svc.agent_channel' } as const;
  const published = (metadata: { sequence: number; generation?: string; chatSessionId?: string }) =>
    happened(
      anEvent(projectId, {
        source: 'svc.agent_channel',
        metadata: {
          ...{ channel: 'reviews', message: 'Look', generation: metadata.generation ?? 'g1' },
          ...{ sequence: metadata.sequence, actor: { chatSessionId: metadata.chatSessionId ?? newId() } },
        },
      }),
    );

  it('matches a follower after its watermark, and a later generation as a whole', async () => {
    const channel = { name: 'reviews', generation: 'g1', watermark: 2 };
    const follower = await subscribe(table, { projectId, filter, channel });
    const elsewhere = await subscribe(table, { projectId, filter, channel: { ...channel, name: 'plans' } });
    await published({ sequence: 2 });
    const [third, renewed] = [
      await published({ sequence: 3 }),
      await published({ sequence: 1, generation: 'g2' }),
    ];

    expect(await eventIdsOf(follower)).toEqual([third.eventId, renewed.eventId]);
    expect(await eventIdsOf(elsewhere)).toEqual([]);
  });

  it('never wakes its own publisher, who may record it', async () => {
    const chatId = newId();
    const own = { projectId, filter, owner: { chatId }, isWakeEnabled: true };
    const [waking, recording] = [
      await subscribe(table, { ...own, requestedDelivery: 'existing_session_prompt' }),
      await subscribe(table, own),
    ];
    const mine = await published({ sequence: 1, chatSessionId: chatId });
    const theirs = await published({ sequence: 2 });

    expect(await matchesOf(table, waking)).toMatchObject([{ eventId: theirs.eventId, state: 'matched' }]);
    expect(await readSubscription(table, waking)).toMatchObject({ wakeDueAt: expect.any(String) });
    expect(await eventIdsOf(recording)).toEqual([mine.eventId, theirs.eventId]);
  });
});

describe('200 active subscriptions', () => {
  it('are the limit until one has ended or elapsed, and one event matches the hundred oldest', async () => {
    const [past, at] = [later(-hour), Date.now()];
    const create = (each: EventSubscription) => createSubscription(table, each, new Date());
    const elapsed = aSubscription({ projectId, now: past, expiresAt: later(-minute).getTime() });
    const all = Array.from({ length: 200 }, (_, index) =>
      aSubscription({ projectId, now: new Date(at + index) }),
    );
    const [first, last] = [all[0], all[199]];
    if (!first || !last) throw new Error('There are none');
    await createSubscription(table, elapsed, past);
    for (let from = 0; from < 199; from += 20)
      await Promise.all(all.slice(from, Math.min(from + 20, 199)).map(create));

    // The elapsed one gives its place.
    expect(await create(last)).toMatchObject({ changed: true });
    expect(await readSubscription(table, elapsed)).toMatchObject({ state: 'expired' });
    const refused = aSubscription({ projectId });
    await expect(create(refused)).rejects.toMatchObject({ kind: 'rate_limited', code: 'EVENT_CAPACITY' });
    expect(await readItem(table, followerKey(refused))).toBeUndefined();
    // A repeat of an existing one needs no place.
    expect(await create(first)).toMatchObject({ idempotent: true, changed: false });

    const event = await happened(anEvent(projectId, {}, later(minute)), 2);
    const stored = await Promise.all(all.map((each) => readSubscription(table, each)));
    const counts = stored.map(({ matchCount }) => matchCount);
    expect(counts).toEqual([...Array(100).fill(1), ...Array(100).fill(0)]);
    expect((await readEvent(event)).matchCount).toBe(100);

    await cancelSubscription(table, first, { by, reason: null, now: new Date() });
    expect(await create(refused)).toMatchObject({ changed: true });
    expect(await counted()).toBe(200);
  });
});
