import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cancelSubscription } from '../../../lambdas/domain/event-subscriptions/end-subscription.js';
import { findSubscription } from '../../../lambdas/domain/event-subscriptions/find-subscription.js';
import { matchEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import { recordMatch } from '../../../lambdas/domain/event-subscriptions/record-match.js';
import { admitEvent } from '../../../lambdas/domain/project-events/admit-event.js';
import type { EventContent } from '../../../lambdas/domain/project-events/event-content.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import { type Agent, anAgent } from '../mcp/an-agent.js';
import { ToolCalls } from '../mcp/tool-calls.js';
import { anEvent, contentOf, subscribe } from './event-records.js';

let tools: ToolCalls;
let agent: Agent;

const filter = { version: 1, source: 'builds', severity: ['error', 'critical'] };

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  agent = await tools.as();
});

const create = (more: object = {}, as = agent) =>
  tools.call('create_project_event_subscription', { idempotencyKey: 'builds', filter, ...more }, as);

const createdId = async (more: object = {}) =>
  String((await create(more)).value.subscription?.['id' as keyof object]);

async function happened(change: Partial<EventContent> = {}) {
  const { event } = await admitEvent(tools.table, anEvent(agent.project.projectId, change), new Date());
  await matchEvent({ table: tools.table, now: new Date(), log: rootLog }, event);
  return event;
}

interface Listed {
  readonly events: readonly {
    readonly id: string;
    readonly delivery: { readonly id: string; readonly state: string };
  }[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

const list = async (subscriptionId: string, more: object = {}) =>
  // What the tool returns; each test checks the fields that it reads.
  (await tools.call('list_subscription_events', { subscriptionId, ...more })).value as unknown as Listed;

describe('create_project_event_subscription', () => {
  it('records by default, for the session of the caller, until its token ends', async () => {
    const { value, refused } = await create({ reason: 'Watch the build' });

    expect(refused).toBe(false);
    const { projectId, chatSessionId, taskId } = agent.draft;
    expect(value).toMatchObject({ idempotent: false, changed: true, callerKind: 'agent' });
    expect(value).not.toHaveProperty('wakeInstructions');
    expect(value.subscription).toMatchObject({
      ...{
        projectId,
        contractVersion: 1,
        state: 'active',
        filter,
        matchKeyCount: 3,
        reason: 'Watch the build',
      },
      owner: { type: 'agent', id: `${projectId}:${chatSessionId}` },
      deliveryPreference: {
        ...{ requested: 'record_only', resolved: 'record_only' },
        target: { sessionId: chatSessionId, taskId, runtimeId: null, agentId: null },
      },
    });
    const { expiresAt, createdAt } = value.subscription as { expiresAt: number; createdAt: number };
    expect(expiresAt - createdAt).toBeGreaterThan(7 * 3_600_000);
    expect(expiresAt - createdAt).toBeLessThanOrEqual(8 * 3_600_000);
    expect(tools.calls.names).toHaveLength(3);
  });

  it('returns the same for its key, and refuses another definition', async () => {
    const first = await create();
    const [again, reordered, other] = [
      await create(),
      await create({ filter: { severity: ['critical', 'error'], source: ['builds'], version: 1 } }),
      await create({ filter: { version: 1, source: 'other' } }),
    ];

    for (const { value } of [again, reordered])
      expect(value).toMatchObject({
        idempotent: true,
        changed: false,
        subscription: first.value.subscription,
      });
    expect(other).toMatchObject({ refused: true, value: { error: 'IDEMPOTENCY_KEY_REUSED' } });
    // Another session has keys of its own.
    expect((await create({}, await tools.another())).value).toMatchObject({ changed: true });
  });

  it('creates one when calls with the key race', async () => {
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.filter(({ value }) => value.changed === true)).toHaveLength(1);
    expect((await tools.call('list_project_event_subscriptions')).value.subscriptions).toHaveLength(1);
  });

  it('resolves what it cannot deliver', async () => {
    const resolved = async (asked: object) => {
      const { value } = await create({ idempotencyKey: newId(), ...asked });
      const { deliveryPreference } = value.subscription as { deliveryPreference: { resolved: string } };
      return deliveryPreference.resolved;
    };
    const wake = { requestedDelivery: 'existing_session_prompt' };

    expect(await resolved(wake)).toBe('recorded_not_injected');
    expect(await resolved({ requestedDelivery: 'runtime_interrupt' })).toBe('recorded_not_injected');
    expect(await resolved({ ...wake, target: { sessionId: newId() } })).toBe('unauthorized');
    expect(await resolved({ requestedDelivery: 'spawn_task' })).toBe('unsupported');
    const sessionId = agent.draft.chatSessionId;
    expect(await resolved({ ...wake, target: { sessionId } })).toBe('recorded_not_injected');
  });

  it('caps the end, and refuses one in the past', async () => {
    const later = await create({ expiresAt: Date.now() + 48 * 3_600_000 });
    const { expiresAt } = later.value.subscription as { expiresAt: number };
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 8 * 3_600_000);

    expect(await create({ idempotencyKey: 'x', expiresAt: Date.now() - 1 })).toMatchObject({
      refused: true,
      value: { error: 'BAD_REQUEST', details: [{ field: 'arguments.expiresAt' }] },
    });
  });

  it('refuses an invalid filter as an invalid argument', async () => {
    const { status, body } = await tools.send('tools/call', {
      name: 'create_project_event_subscription',
      arguments: { idempotencyKey: 'k', filter: { version: 1, source: [] } },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ error: { code: -32_602 } });
    expect(JSON.stringify(body)).toContain('arguments.filter');
  });
});

describe('the subscriptions of a session', () => {
  it('are found, cancelled once, and hidden from others', async () => {
    const subscriptionId = await createdId();
    const stranger = await tools.another();
    const read = (required: boolean, as = agent) =>
      tools.call('get_project_event_subscription', { subscriptionId, required }, as);
    const cancel = (as = agent) =>
      tools.call('cancel_project_event_subscription', { subscriptionId, reason: 'Enough' }, as);

    expect((await read(true)).value).toMatchObject({ subscription: { id: subscriptionId }, required: true });
    expect((await read(false, stranger)).value).toEqual({ subscription: null, required: false });
    expect(await read(true, stranger)).toMatchObject({ refused: true, value: { error: 'NOT_FOUND' } });
    expect((await cancel(stranger)).value).toMatchObject({ subscription: null, changed: false });
    const events = await tools.call('list_subscription_events', { subscriptionId }, stranger);
    expect(events).toMatchObject({ refused: true, value: { error: 'NOT_FOUND' } });

    expect((await cancel()).value).toMatchObject({
      ...{ changed: true, idempotent: false },
      subscription: { state: 'cancelled', cancelReason: 'Enough', cancelledBy: { type: 'agent' } },
    });
    expect((await cancel()).value).toMatchObject({ changed: false, idempotent: true });
    // A repeat of the creation does not make it active again.
    expect((await create()).value).toMatchObject({ idempotent: true, subscription: { state: 'cancelled' } });
    const states = async (state: string) =>
      (await tools.call('list_project_event_subscriptions', { state })).value.subscriptions;
    expect(await states('active')).toEqual([]);
    expect(await states('expired')).toEqual([]);
    expect(await states('cancelled')).toMatchObject([{ id: subscriptionId }]);
    expect(await states('any')).toMatchObject([{ id: subscriptionId, idempotencyKey: 'builds' }]);
  });

  it('stay with the agent that replaces theirs in the session', async () => {
    const { projectId } = agent.project;
    const { chatSessionId: chatId } = agent.draft;
    const { subscriptionId } = await subscribe(tools.table, { projectId, owner: { chatId } });
    const found = await tools.call('get_project_event_subscription', { subscriptionId });
    expect(found.value).toMatchObject({ subscription: { id: subscriptionId } });
  });
});

describe('list_subscription_events', () => {
  it('pages through events in order, and continues later at its cursor', async () => {
    const subscriptionId = await createdId();
    expect(await list(subscriptionId)).toMatchObject({ events: [], nextCursor: null, hasMore: false });
    const [a, b, c] = [await happened(), await happened(), await happened()];
    await happened({ severity: 'info' });

    const first = await list(subscriptionId, { limit: 2 });
    expect(first.events.map(({ id }) => id)).toEqual([a.eventId, b.eventId]);
    expect(first).toMatchObject({
      ...{ hasMore: true, eventReadFence: { eventFields: 'untrusted_external_evidence' } },
    });
    expect(first.events[0]).toMatchObject({
      ...{ source: 'builds', eventType: 'build.failed', subject: { type: 'build', id: '42' } },
      ...{ severity: 'error', metadata: { step: 'compile' }, payloadRefAvailable: false },
      ...{ display: { title: 'Build 42 failed', untrusted: true }, occurredAt: expect.any(Number) },
      delivery: { subscriptionId, state: 'pending', ackRequired: true, acknowledgedAt: null },
    });
    const second = await list(subscriptionId, { limit: 2, cursor: first.nextCursor });
    expect(second.events.map(({ id }) => id)).toEqual([c.eventId]);
    expect(second.hasMore).toBe(false);
    const d = await happened();
    const third = await list(subscriptionId, { cursor: second.nextCursor });
    expect(third.events.map(({ id }) => id)).toEqual([d.eventId]);
  });

  it('refuses the cursor of another subscription, and what is none', async () => {
    const [one, other] = [await createdId(), await createdId({ idempotencyKey: 'more' })];
    await happened();
    const { nextCursor } = await list(one);
    const wrong = [
      nextCursor,
      'bm9uc2Vuc2U',
      Buffer.from(JSON.stringify({ version: 1, subscriptionId: other, after: -1 })).toString('base64url'),
    ];
    for (const cursor of wrong) {
      const reply = await tools.call('list_subscription_events', { subscriptionId: other, cursor });
      expect(reply).toMatchObject({ refused: true, value: { details: [{ field: 'arguments.cursor' }] } });
    }
  });
});

describe('get_event', () => {
  it('returns the whole event with its fence, to agents of its project only', async () => {
    const content = contentOf({ rawPayloadRef: { uri: 's3://logs/42' } });
    const { eventId } = await happened(content);
    const { value } = await tools.call('get_event', { eventId });
    expect(value).toMatchObject({
      event: {
        ...{ id: eventId, projectId: agent.project.projectId, deliveryKey: content.deliveryKey },
        ...{ contractVersion: 1, state: 'recorded', duplicateCount: 0, conflictCount: 0 },
        rawPayloadRef: { uri: 's3://logs/42' },
      },
      eventReadFence: { eventFields: 'untrusted_external_evidence' },
    });
    const stranger = await anAgent(tools.table, new Date(), { task: {} });
    expect(await tools.call('get_event', { eventId }, stranger)).toMatchObject({
      ...{ refused: true, value: { error: 'NOT_FOUND' } },
    });
  });
});

describe('ack_event_delivery', () => {
  it('acknowledges once, and only for the owner', async () => {
    const subscriptionId = await createdId();
    const { eventId } = await happened();
    const [listed] = (await list(subscriptionId)).events;
    const deliveryId = listed?.delivery.id;
    const ack = (as = agent) => tools.call('ack_event_delivery', { deliveryId }, as);

    expect(await ack(await tools.another())).toMatchObject({ refused: true, value: { error: 'NOT_FOUND' } });
    tools.calls.reset();
    expect((await ack()).value).toMatchObject({
      ...{ acknowledged: true, idempotent: false },
      delivery: { id: deliveryId, state: 'acked', deliveryChannel: 'pull', eventId, eventIds: [eventId] },
    });
    expect(tools.calls.names).toHaveLength(4);
    expect((await ack()).value).toMatchObject({ acknowledged: true, idempotent: true });
    expect((await list(subscriptionId)).events).toMatchObject([{ delivery: { state: 'acked' } }]);
  });

  it('works for a subscription that has ended, and after a repeated match', async () => {
    const { projectId } = agent.project;
    const subscriptionId = await createdId({ requestedDelivery: 'existing_session_prompt' });
    const event = await happened();
    const subscription = await findSubscription(tools.table, projectId, subscriptionId);
    const by = { type: 'human', id: newId() } as const;
    await cancelSubscription(tools.table, subscription, { by, reason: null, now: new Date() });
    await recordMatch(tools.table, subscription, { event, now: new Date() });

    const { events } = await list(subscriptionId);
    expect(events).toMatchObject([{ id: event.eventId, delivery: { state: 'recorded_not_injected' } }]);
    const deliveryId = events[0]?.delivery.id;
    expect((await tools.call('ack_event_delivery', { deliveryId })).value).toMatchObject({
      acknowledged: true,
    });
    expect(await tools.call('ack_event_delivery', { deliveryId: newId() })).toMatchObject({ refused: true });
  });
});

it('needs a task for every tool of events and subscriptions', async () => {
  const talk = await anAgent(tools.table, new Date(), { project: agent.project });
  const id = newId();
  const calls = [
    ['create_project_event_subscription', { idempotencyKey: 'builds', filter }],
    ['list_project_event_subscriptions', {}],
    ['get_project_event_subscription', { subscriptionId: id }],
    ['cancel_project_event_subscription', { subscriptionId: id, reason: 'Done' }],
    ['list_subscription_events', { subscriptionId: id }],
    ['get_event', { eventId: (await happened()).eventId }],
    ['ack_event_delivery', { deliveryId: id }],
    ['follow_event_channel', { channel: 'gates', idempotencyKey: 'f' }],
    ['catch_up_event_channel', { subscriptionId: id }],
  ] as const;

  for (const [name, args] of calls)
    expect(await tools.call(name, args, talk), name).toMatchObject({
      refused: true,
      value: { error: 'TASK_REQUIRED' },
    });
  for (const name of ['list_event_channels', 'publish_channel_event'])
    expect(
      await tools.call(
        name,
        name === 'publish_channel_event' ? { channel: 'gates', message: 'x', idempotencyKey: 'p' } : {},
        talk,
      ),
    ).toMatchObject({ refused: false });
});

it.each(['owner', 'ownerScope', 'owner_scope', 'cancelledBy', 'cancelled_by'])(
  'forbids %s as an argument of the tools of subscriptions',
  async (name) => {
    const subscriptionId = await createdId();
    const calls = [
      ['create_project_event_subscription', { idempotencyKey: 'other', filter }],
      ['list_project_event_subscriptions', {}],
      ['get_project_event_subscription', { subscriptionId }],
      ['cancel_project_event_subscription', { subscriptionId, reason: 'Done' }],
    ] as const;

    for (const [tool, args] of calls)
      expect(await tools.call(tool, { ...args, [name]: 'project' }), tool).toMatchObject({
        refused: true,
        value: { error: 'FORBIDDEN' },
      });
    expect((await findSubscription(tools.table, agent.draft.projectId, subscriptionId)).state).toBe('active');
  },
);
