import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { channelCountKey, channelKey } from '../../../lambdas/domain/event-channels/channel.js';
import { publicationSk, publicationsOf } from '../../../lambdas/domain/event-channels/publication.js';
import { cancelSubscription } from '../../../lambdas/domain/event-subscriptions/end-subscription.js';
import { findSubscription } from '../../../lambdas/domain/event-subscriptions/find-subscription.js';
import { listFollowers } from '../../../lambdas/domain/event-subscriptions/follower.js';
import { followEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import { eventKey } from '../../../lambdas/domain/project-events/project-event.js';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { aPerson, memberOf, type Person } from '../../support/project-members.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;
let list: Invoke;
let history: Invoke;

beforeAll(async () => {
  tools = await ToolCalls.load();
  list = await loadRoute('event-channels/list');
  history = await loadRoute('event-channels/history');
});

beforeEach(async () => {
  await tools.as();
});

type Values = Record<string, unknown>;
const projectId = () => tools.agent.project.projectId;
const key = (name = 'gates') => channelKey({ projectId: projectId(), name });
const stored = async (of: { pk: string; sk: string }) => await getItem(tools.table, of);

const publish = async (more: object = {}, agent = tools.agent): Promise<Values> =>
  (
    await tools.call(
      'publish_channel_event',
      { channel: 'gates', message: 'Paint it', idempotencyKey: newId(), ...more },
      agent,
    )
  ).value;
const read = async (more: object = {}) =>
  (await tools.call('get_channel_history', { channel: 'gates', ...more })).value;
const follow = async (more: object = {}, agent = tools.agent) =>
  (await tools.call('follow_event_channel', { channel: 'gates', idempotencyKey: 'f', ...more }, agent)).value;
const idOf = ({ subscription }: Values) => (subscription as { id: string }).id;
const catchUp = async (following: Values, more: object = {}) =>
  (await tools.call('catch_up_event_channel', { subscriptionId: idOf(following), ...more })).value;
const sequencesOf = ({ events }: Values) => (events as Values[]).map(({ sequence }) => sequence);

async function consume({ event }: Values) {
  const { id } = event as { id: string };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const change = { before: undefined, after: await stored(eventKey(id)) };
  await followEvent({ table: tools.table, now: new Date(), log }, change);
}

describe('publish_channel_event', () => {
  it.each([0, 1, 20])('makes four table calls with %i followers', async (followers) => {
    await publish();
    for (let made = 0; made < followers; made += 1)
      await follow({ requestedDelivery: 'existing_session_prompt' }, await tools.another());
    expect(await listFollowers(tools.table, projectId())).toHaveLength(followers);
    tools.calls.reset();

    const published = await publish();

    expect(tools.calls.names).toHaveLength(4);
    await consume(published);
    const { matchCount } = (await stored(eventKey(String((published.event as { id: string }).id)))) ?? {};
    expect(matchCount).toBe(followers);
  });

  it('publishes in four table calls, with the sender of the token', async () => {
    const first = await publish({ message: 'Päint it' });
    expect(tools.calls.names).toHaveLength(4);
    tools.calls.reset();
    const second = await publish();
    expect(tools.calls.names).toHaveLength(4);

    const { taskId, chatSessionId, userId, workspaceId, agentSessionId } = tools.agent.draft;
    expect(first).toMatchObject({
      ...{ outcome: 'created', sequence: 1, channel: { name: 'gates', lifetimeCount: 1 } },
      event: {
        ...{ source: 'svc.agent_channel', eventType: 'agent.channel.published', severity: 'info' },
        subject: { type: 'agent_channel', id: 'gates' },
        metadata: {
          ...{ message: 'Päint it', channel: 'gates', sequence: 1 },
          actor: { taskId, chatSessionId, userId, workspaceId, agentSessionId },
        },
      },
    });
    expect(second).toMatchObject({ sequence: 2, channel: { lifetimeCount: 2 } });
    expect(await stored(channelCountKey(projectId()))).toMatchObject({ ordinary: 1 });
  });

  it('returns the first publication for a repeat, and refuses another message with the key', async () => {
    const first = await publish({ idempotencyKey: 'k' });
    const again = await publish({ idempotencyKey: 'k' });
    const other = await publish({ idempotencyKey: 'k', message: 'Leave it' });
    const elsewhere = await publish({ idempotencyKey: 'k', channel: 'doors' });
    const byOther = await publish({ idempotencyKey: 'k' }, await tools.another());

    expect(again).toMatchObject({ outcome: 'duplicate_replay', sequence: 1, channel: { lifetimeCount: 1 } });
    expect((again.event as Values).id).toBe((first.event as Values).id);
    expect(other).toMatchObject({ error: 'CONFLICT', details: [{ field: 'arguments.idempotencyKey' }] });
    expect(elsewhere).toMatchObject({ outcome: 'created', sequence: 1 });
    expect(byOther).toMatchObject({ outcome: 'created', sequence: 2 });
    expect(await stored(eventKey(String((first.event as Values).id)))).toMatchObject({
      ...{ duplicateCount: 1, conflictCount: 1, state: 'conflicted' },
    });
  });

  it.each([
    ['a reserved name', { channel: 'agent-dm.x' }],
    ['an upper-case name', { channel: 'Gates' }],
    ['a long name', { channel: 'x'.repeat(65) }],
    ['a long message', { message: 'ä'.repeat(2_049) }],
    ['a source of its own', { source: 'svc.agent_channel' }],
    ['another sender', { sessionId: newId() }],
  ])('refuses %s', async (_what, args) => {
    const { body } = await tools.send('tools/call', {
      name: 'publish_channel_event',
      arguments: { channel: 'gates', message: 'x', idempotencyKey: 'k', ...args },
    });

    expect(body).toMatchObject({ error: { code: -32602 } });
    expect(await stored(key())).toBeUndefined();
  });

  it('refuses a message that is too long as JSON', async () => {
    const controls = `x${'\u0001'.repeat(2_000)}x`;

    expect(await publish({ message: controls })).toMatchObject({
      ...{ error: 'BAD_REQUEST', details: [{ field: 'arguments.message' }] },
    });
    expect(await stored(key())).toBeUndefined();
  });

  it('refuses the 121st publication of a minute and the 129th channel, and changes nothing', async () => {
    const limit = rateLimits.CHANNEL_PUBLISH;
    const start = windowStart(limit, new Date());
    const windows = [start, start + limit.windowSeconds].map((at) => rateWindowKey(limit, projectId(), at));
    for (const window of windows) await putItem(tools.table, { ...window, count: 120 });
    expect(await publish()).toMatchObject({
      ...{ error: 'RATE_LIMIT_EXCEEDED', message: expect.stringContaining('limit 120') },
    });

    for (const window of windows) await putItem(tools.table, { ...window, count: 0 });
    await putItem(tools.table, { ...channelCountKey(projectId()), ordinary: 128, pair: 0 });
    expect(await publish()).toMatchObject({ error: 'EVENT_CHANNEL_LIMIT_REACHED' });
    expect(await stored(key())).toBeUndefined();
    expect(await stored(channelCountKey(projectId()))).toMatchObject({ ordinary: 128, pair: 0 });
  });
});

describe('the history', () => {
  it('is read in pages up to the watermark of the first one', async () => {
    for (let count = 0; count < 5; count += 1) await publish();
    const first = await read({ limit: 2 });
    await publish();
    const second = await read({ limit: 2, cursor: first.cursor });
    const third = await read({ limit: 2, cursor: second.cursor });
    const end = await read({ cursor: third.cursor });

    expect([first, second, third, end].map(sequencesOf)).toEqual([[1, 2], [3, 4], [5], []]);
    expect([first, second, third, end].map(({ hasMore }) => hasMore)).toEqual([true, true, false, false]);
    for (const page of [first, second, third])
      expect(page).toMatchObject({ channel: 'gates', watermark: 5, retentionGap: false });
  });

  it('says where publications are gone', async () => {
    for (let count = 0; count < 3; count += 1) await publish();
    const channelId = String((await stored(key()))?.channelId);
    const Key = { pk: publicationsOf(channelId), sk: publicationSk(1) };
    await tools.table.client.send(new DeleteCommand({ TableName: tools.table.name, Key }));
    const last = await stored({ ...Key, sk: publicationSk(3) });
    await putItem(tools.table, { ...last, expiresAt: Math.floor(Date.now() / 1_000) - 1 });

    expect(sequencesOf(await read())).toEqual([2]);
    expect(await read()).toMatchObject({ retentionGap: true, hasMore: false });
    expect(await read({ limit: 1 })).toMatchObject({ retentionGap: true, hasMore: true });
  });

  it('refuses cursors of others, forged ones and expired ones', async () => {
    await publish();
    await publish({ channel: 'doors' });
    const { cursor } = await read();
    const content = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    const forge = (change: object) =>
      Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');

    expect(await read({ channel: 'doors', cursor })).toMatchObject({ error: 'CHANNEL_CURSOR_EXPIRED' });
    expect(await read({ cursor: forge({ expires: Date.now() }) })).toMatchObject({
      error: 'CHANNEL_CURSOR_EXPIRED',
    });
    const forged = [
      { p: newId() },
      { until: 9 },
      { after: 9 },
      { after: -1 },
      { expires: 10 ** 15 },
      { v: 2 },
    ];
    for (const change of forged)
      expect(await read({ cursor: forge(change) }), JSON.stringify(change)).toMatchObject({
        ...{ error: 'BAD_REQUEST', details: [{ field: 'arguments.cursor' }] },
      });
    expect(await read({ cursor: 'x' })).toMatchObject({ error: 'BAD_REQUEST' });
    expect(await read({ channel: 'windows' })).toMatchObject({ error: 'NOT_FOUND' });
  });
});

describe('follow_event_channel', () => {
  it('continues where the history ended, and matches later publications live', async () => {
    for (let count = 0; count < 3; count += 1) await publish();
    const page = await read({ limit: 1 });
    tools.calls.reset();
    const following = await follow({ cursor: page.cursor });
    expect(tools.calls.names).toHaveLength(4);
    await consume(await publish());

    expect(following).toMatchObject({
      ...{ changed: true, idempotent: false, watermark: 3, caughtUpThrough: 1, hasMore: true },
      subscription: {
        ...{ state: 'active', filter: { source: 'svc.agent_channel', subjectId: 'gates' } },
        deliveryPreference: { requested: 'record_only', resolved: 'record_only' },
      },
    });
    expect(await catchUp(following, { limit: 1 })).toMatchObject({ caughtUpThrough: 2, hasMore: true });
    expect(await catchUp(following)).toMatchObject({ caughtUpThrough: 3, hasMore: false, changed: true });
    expect(await catchUp(following)).toMatchObject({ changed: false, idempotent: true });
    const { value } = await tools.call('list_subscription_events', { subscriptionId: idOf(following) });
    const events = value.events as { metadata: Values; delivery: { id: string } }[];
    expect(events.map(({ metadata }) => metadata.sequence).toSorted()).toEqual([2, 3, 4]);
    const acknowledged = await tools.call('ack_event_delivery', { deliveryId: events[0]?.delivery.id });
    expect(acknowledged.value).toMatchObject({ acknowledged: true });
  });

  it('returns the first watermark for a repeat, and refuses other arguments', async () => {
    await publish();
    const { cursor } = await read();
    const first = await follow({ cursor });
    await publish();
    const again = await follow({ cursor: (await read({ limit: 1 })).cursor });

    expect(again).toMatchObject({ idempotent: true, changed: false, watermark: 1, hasMore: false });
    expect(again.catchUpExpiresAt).toBe(first.catchUpExpiresAt);
    expect(idOf(again)).toBe(idOf(first));
    for (const other of [{}, { channel: 'doors' }, { cursor, requestedDelivery: 'existing_session_prompt' }])
      expect(await follow(other)).toMatchObject({ error: 'IDEMPOTENCY_KEY_REUSED' });
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => follow({ idempotencyKey: 'parallel' })),
    );
    expect(new Set(replies.map(idOf)).size).toBe(1);
    expect(replies.filter(({ changed }) => changed)).toHaveLength(1);
  });

  it('refuses a catch-up with a gap, of another session, without a channel and of an ended one', async () => {
    for (let count = 0; count < 3; count += 1) await publish();
    const { cursor } = await read({ limit: 1 });
    const following = await follow({ cursor });
    const foreign = { subscriptionId: idOf(following) };
    expect((await tools.call('catch_up_event_channel', foreign, await tools.another())).value).toMatchObject({
      error: 'NOT_FOUND',
    });

    const channelId = String((await stored(key()))?.channelId);
    const Key = { pk: publicationsOf(channelId), sk: publicationSk(3) };
    await tools.table.client.send(new DeleteCommand({ TableName: tools.table.name, Key }));
    expect(await catchUp(following)).toMatchObject({ error: 'CHANNEL_RETENTION_GAP' });

    const catchUpKey = { pk: `EVENTSUBSCRIPTION#${idOf(following)}`, sk: 'CATCHUP' };
    await putItem(tools.table, { ...(await stored(catchUpKey)), endsAt: new Date().toISOString() });
    expect(await catchUp(following)).toMatchObject({ error: 'CHANNEL_CATCH_UP_EXPIRED' });
    const subscription = await findSubscription(tools.table, projectId(), idOf(following));
    const by = { type: 'human', id: newId() } as const;
    await cancelSubscription(tools.table, subscription, { by, reason: null, now: new Date() });
    expect(await catchUp(following)).toMatchObject({ error: 'EVENT_SUBSCRIPTION_ENDED' });
    const filter = { version: 1, source: 'svc.lifecycle' };
    const broad = await tools.call('create_project_event_subscription', { idempotencyKey: 'b', filter });
    expect(await catchUp(broad.value)).toMatchObject({ error: 'NOT_A_CHANNEL_FOLLOWER' });
  });

  it('refuses the 201st active subscription of the project', async () => {
    await putItem(tools.table, {
      ...{ pk: `PROJECT#${projectId()}`, sk: 'EVENTSUBSCRIPTIONCOUNT', activeCount: 200 },
    });

    expect(await follow()).toMatchObject({ error: 'EVENT_CAPACITY' });
  });
});

describe('list_channel_subscribers', () => {
  const subscribers = async (more: object = {}) =>
    (await tools.call('list_channel_subscribers', { channel: 'gates', ...more })).value;
  const idsOf = ({ subscribers: found }: Values) =>
    (found as { subscriptionId: string }[]).map(({ subscriptionId }) => subscriptionId);

  it('lists followers and broad subscriptions of all owners, without what is private', async () => {
    const other = await tools.another();
    const own = await follow({ reason: 'Secret reason' });
    const others = await follow({}, other);
    const subscribe = async (idempotencyKey: string, filter: object) =>
      (
        await tools.call('create_project_event_subscription', {
          ...{ idempotencyKey, filter: { version: 1, ...filter } },
        })
      ).value;
    const broad = await subscribe('broad', { severity: ['info', 'error'] });
    await subscribe('narrow', { source: 'svc.lifecycle' });
    await follow({ channel: 'doors', idempotencyKey: 'doors' });

    const all = await subscribers();
    expect(idsOf(all)).toEqual([own, others, broad].map(idOf));
    expect(JSON.stringify(all)).not.toContain('Secret');
    expect((all.subscribers as Values[])[1]).toEqual({
      ...{ subscriptionId: idOf(others), ownerType: 'agent', ownerName: null, state: 'active' },
      ownerId: `${projectId()}:${other.draft.chatSessionId}`,
      targetSessionId: other.draft.chatSessionId,
      targetTaskId: other.draft.taskId,
      ...{ targetRuntimeId: null, targetAgentId: null },
      ...{ expiresAt: expect.any(Number), createdAt: expect.any(Number) },
    });
    const first = await subscribers({ limit: 2 });
    const second = await subscribers({ limit: 2, cursor: first.nextCursor });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(all));
    expect(second.nextCursor).toBeNull();
    for (const changed of [{ channel: 'doors' }, { state: 'any' }])
      expect(await subscribers({ cursor: first.nextCursor, ...changed })).toMatchObject({
        ...{ error: 'BAD_REQUEST', details: [{ field: 'arguments.cursor' }] },
      });
  });

  it('lists ended ones by state, and refuses a conversation', async () => {
    const ended: Values[] = [];
    for (const idempotencyKey of ['1', '2', '3']) ended.push(await follow({ idempotencyKey }));
    const active = await follow();
    for (const each of ended)
      await tools.call('cancel_project_event_subscription', { subscriptionId: idOf(each), reason: 'Done' });

    const cancelled = await subscribers({ state: 'cancelled', limit: 2 });
    const rest = await subscribers({ state: 'cancelled', limit: 2, cursor: cancelled.nextCursor });
    expect([...idsOf(cancelled), ...idsOf(rest)].toSorted()).toEqual(ended.map(idOf).toSorted());
    expect(idsOf(await subscribers({ state: 'any' }))[0]).toBe(idOf(active));
    expect(idsOf(await subscribers({ state: 'any' }))).toHaveLength(4);
    const one = await subscribers({ state: 'any', limit: 1 });
    expect(idsOf(await subscribers({ state: 'any', cursor: one.nextCursor }))).toHaveLength(3);
    expect(idsOf(await subscribers({ state: 'expired' }))).toEqual([]);

    await tools.as({ project: tools.agent.project });
    expect(await subscribers()).toMatchObject({ error: 'TASK_REQUIRED' });
  });
});

describe('the catalog', () => {
  let viewer: Person;

  beforeEach(async () => {
    viewer = await memberOf(tools.table, tools.agent.project, 'viewer');
    for (const channel of ['gates', 'doors', 'walls']) await publish({ channel });
    tools.calls.reset();
  });

  it('is listed by name for agents and members, in two table calls', async () => {
    const params = { projectId: projectId() };
    const page = await list({ params, cookies: viewer.cookies, query: { limit: '2' } });
    expect(tools.calls.names).toHaveLength(2);
    const { nextCursor: cursor } = page.body as { nextCursor: string };
    const next = await list({ params, cookies: viewer.cookies, query: { limit: '2', cursor } });

    expect(page).toMatchObject({ status: 200, body: { channels: [{ name: 'doors' }, { name: 'gates' }] } });
    expect(next.body).toMatchObject({ channels: [{ name: 'walls', lifetimeCount: 1 }], nextCursor: null });
    expect((await tools.call('list_event_channels')).value).toMatchObject({
      channels: [{ name: 'doors' }, { name: 'gates' }, { name: 'walls' }],
    });
  });

  it('leads to the history, in two table calls', async () => {
    const params = { projectId: projectId(), channel: 'gates' };
    const page = await history({ params, cookies: viewer.cookies });
    expect(tools.calls.names).toHaveLength(2);

    expect(page).toMatchObject({
      status: 200,
      body: {
        ...{ channel: 'gates', watermark: 1, hasMore: false, retentionGap: false },
        events: [{ sequence: 1, event: { metadata: { message: 'Paint it' } } }],
      },
    });
    const at = (more: object, query = {}) =>
      history({ params: { ...params, ...more }, cookies: viewer.cookies, query });
    expect(await at({ channel: 'windows' })).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect(await at({ channel: 'Gates' })).toMatchObject({ status: 400 });
    expect(await at({}, { cursor: 'x' })).toMatchObject({
      ...{ status: 400, body: { details: [{ field: 'query.cursor' }] } },
    });
    expect(await at({}, { sort: 'x' })).toMatchObject({ status: 400 });
    const stranger = await aPerson(tools.table);
    expect(await history({ params, cookies: stranger.cookies })).toMatchObject({ status: 404 });
  });
});
