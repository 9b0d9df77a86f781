import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { channelKey } from '../../../lambdas/domain/event-channels/channel.js';
import {
  EventSubscription,
  subscriptionCountKey,
  subscriptionItem,
  subscriptionKey,
} from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { followerItem, listFollowers } from '../../../lambdas/domain/event-subscriptions/follower.js';
import { followEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import { wakeSubscription } from '../../../lambdas/domain/event-wakes/wake-subscription.js';
import { eventKey } from '../../../lambdas/domain/project-events/project-event.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { readChat } from '../prompts/a-chat.js';
import type { Agent } from './an-agent.js';
import { ToolCalls } from './tool-calls.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };

let tools: ToolCalls;
let other: Agent;

beforeAll(async () => {
  Object.assign(process.env, {
    PROJECT_EVENT_WAKE_ENABLED: 'true',
    AGENT_MESSAGE_CHANNELS_ENABLED: 'true',
  });
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
  other = await tools.another();
});

type Values = Record<string, unknown>;
const projectId = () => tools.agent.project.projectId;
const stored = async (of: { pk: string; sk: string }) => await getItem(tools.table, of);

const send = async (more: object = {}, to = other, from = tools.agent): Promise<Values> =>
  (
    await tools.call(
      'send_durable_message',
      { targetTaskId: to.draft.taskId, message: 'The hinge is off', ...more },
      from,
    )
  ).value;

async function consume({ eventId }: Values) {
  const change = { before: undefined, after: await stored(eventKey(String(eventId))) };
  await followEvent({ table: tools.table, now: new Date(), log }, change);
}

/** The managed subscriptions, oldest first. */
async function subscriptions(of?: Agent): Promise<readonly EventSubscription[]> {
  const followers = await listFollowers(tools.table, projectId());
  const found = await Promise.all(
    followers.map(async ({ subscriptionId }) =>
      EventSubscription.parse(await stored(subscriptionKey(subscriptionId))),
    ),
  );
  const managed = found.filter(({ idempotencyKey }) => idempotencyKey.startsWith('svc-agent-message:'));
  return of ? managed.filter(({ ownerChatId }) => ownerChatId === of.draft.chatSessionId) : managed;
}

async function change(subscription: EventSubscription | undefined, fields: Partial<EventSubscription>) {
  const changed = { ...EventSubscription.parse(subscription), ...fields };
  await putItem(tools.table, subscriptionItem(changed));
  await putItem(tools.table, followerItem(changed));
}

const count = () => stored(subscriptionCountKey(projectId()));
const nothing = { activeCount: 0, managedCount: 0 };

describe('a message between two agents', () => {
  it('is published on their channel and wakes the recipient with ids only', async () => {
    const sent = await send({ metadata: { part: 'hinge' }, messageClass: 'notify' });
    const { taskId, chatSessionId } = other.draft;
    expect(sent).toMatchObject({
      ...{ accepted: true, delivered: false, queued: true, deliveryState: 'queued', sequence: 1 },
      ...{ transport: 'agent_message_channel', channel: expect.stringMatching(/^agent-dm\.[0-9a-f]{40}$/) },
      ...{ messageId: sent.eventId, replayed: false, recipient: { taskId, subscriptionMatched: true } },
      receipt: {
        ...{ outcome: 'created', eventId: sent.eventId, channel: sent.channel, sequence: 1 },
        recordedAt: expect.stringMatching(/Z$/),
      },
    });
    await consume(sent);
    const [own] = await subscriptions(tools.agent);
    const [theirs] = await subscriptions(other);
    expect(own).toMatchObject({ matchCount: 0, wakeDueAt: null });
    expect(theirs).toMatchObject({ matchCount: 1, wakeDueAt: expect.any(String) });

    const { wakeUpQueues } = await import('../../../lambdas/edge/wake-up-queues.js');
    const deps = { table: tools.table, wakeUpQueues, isEnabled: true, now: new Date(), newId, log };
    await wakeSubscription(deps, EventSubscription.parse(theirs));
    const prompts = await tools.promptsOf(chatSessionId);
    expect(prompts).toMatchObject([{ sourceKind: 'project_event_wake', messageClass: 'deliver' }]);
    expect(JSON.stringify(prompts)).toContain(String(sent.eventId));
    expect(JSON.stringify(prompts)).not.toContain('hinge');
    const { value } = await tools.call('get_event', { eventId: sent.eventId }, other);
    expect(value).toMatchObject({
      event: {
        metadata: {
          ...{ kind: 'agent_message', messageClass: 'notify', message: 'The hinge is off' },
          ...{ recipient: { taskId, chatSessionId }, senderMetadata: { part: 'hinge' } },
          actor: { chatSessionId: tools.agent.draft.chatSessionId, taskId: tools.agent.draft.taskId },
        },
      },
    });
  });

  it('is answered on the same channel, with the same two subscriptions', async () => {
    const sent = await send();
    tools.calls.reset();
    const answer = await send({ message: 'Mend it' }, tools.agent, other);
    expect(tools.calls.names).toHaveLength(6);
    await consume(answer);

    expect(answer).toMatchObject({ channel: sent.channel, sequence: 2 });
    expect(await count()).toMatchObject({ activeCount: 2, managedCount: 2 });
    expect(await subscriptions(tools.agent)).toMatchObject([{ matchCount: 1 }]);
    // The first message comes before the answer: the consumer has matched it too.
    expect(await subscriptions(other)).toMatchObject([{ matchCount: 1 }]);
    const history = await tools.call('get_channel_history', { channel: sent.channel });
    expect(history.value).toMatchObject({ watermark: 2, events: [{ sequence: 1 }, { sequence: 2 }] });
  });

  it('makes one channel and two subscriptions when both send many at the same moment', async () => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 ? send({ idempotencyKey: `k${index}` }) : send({}, tools.agent, other),
      ),
    );

    expect(replies.map(({ sequence }) => sequence).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await subscriptions()).toHaveLength(2);
    expect(await count()).toMatchObject({ activeCount: 2, managedCount: 2 });
  });

  it('is sent once for a repeat, and refused with other content', async () => {
    const first = await send({ idempotencyKey: 'k' });
    const again = await send({ idempotencyKey: 'k' });
    const changed = await send({ idempotencyKey: 'k', message: 'Another' });

    expect(again).toMatchObject({ eventId: first.eventId, sequence: 1, replayed: true });
    expect(changed).toMatchObject({ error: 'CONFLICT', outcome: 'conflict', retryable: false });
  });

  it('is refused when it is too long, and when the recipient takes none; nothing is stored', async () => {
    expect(await send({ message: 'x'.repeat(4_097) })).toMatchObject({
      ...{ error: 'BAD_REQUEST', outcome: 'rejected', retryable: false },
    });
    const chat = await readChat(tools.table, other.draft.chatSessionId);
    await putItem(tools.table, chatItem({ ...chat, status: 'stopped' }));
    expect(await send()).toMatchObject({ error: 'RECIPIENT_UNAVAILABLE', outcome: 'recipient_unavailable' });

    expect(await stored(chatKey(chat.chatId))).toMatchObject({ status: 'stopped' });
    expect((await count()) ?? nothing).toMatchObject(nothing);
    expect((await tools.call('list_event_channels')).value).toMatchObject({ channels: [] });
  });

  it('uses the queue of prompts when it interrupts', async () => {
    const child = await tools.dispatch();
    const { value } = await tools.call('send_durable_message', {
      ...{ targetTaskId: child.taskId, message: 'Stop', messageClass: 'interrupt' },
    });

    expect(value).toMatchObject({ accepted: true, deliveryId: expect.any(String) });
    expect(value).not.toHaveProperty('transport');
  });

  it('matches only subscriptions of its two chats', async () => {
    const third = await tools.another();
    const subscribe = async (agent: Agent) => {
      const filter = { version: 1, source: 'svc.agent_channel' };
      const args = { idempotencyKey: 'broad', filter };
      const { value } = await tools.call('create_project_event_subscription', args, agent);
      return subscriptionKey((value.subscription as { id: string }).id);
    };
    const [broad, foreign] = [await subscribe(other), await subscribe(third)];
    const sent = await send();
    await consume(sent);

    const { value } = await tools.call('list_channel_subscribers', { channel: sent.channel });
    const targets = (value.subscribers as Values[]).map(({ targetSessionId }) => targetSessionId);
    expect(targets.toSorted()).toEqual(
      [tools.agent, other].map(({ draft }) => draft.chatSessionId).toSorted(),
    );
    expect(await stored(broad)).toMatchObject({ matchCount: 1 });
    expect(await stored(foreign)).toMatchObject({ matchCount: 0 });
  });
});

describe('a managed subscription', () => {
  it.each([
    ['near its end', { endsAt: new Date(Date.now() + 4 * 60_000).toISOString() }],
    ['with many wakes', { wakeCount: 40 }],
  ])('%s is replaced for new messages, and keeps earlier ones', async (_what, fields) => {
    const first = await send();
    const [former] = await subscriptions(other);
    await change(former, fields);
    const second = await send();
    await consume(second);
    // The stream is late.
    await consume(first);

    const all = await subscriptions(other);
    expect(all).toMatchObject([
      { subscriptionId: former?.subscriptionId, matchCount: 1 },
      { matchCount: 1, channel: { watermark: 1 } },
    ]);
    expect(await count()).toMatchObject({ activeCount: 3, managedCount: 3 });
  });

  it('is released at the limit when it is idle, and not while it owes a wake', async () => {
    const earlier = await send();
    await consume(earlier);
    const hourAgo = new Date(Date.now() - 60 * 60_000).toISOString();
    const key = channelKey({ projectId: projectId(), name: String(earlier.channel) });
    await putItem(tools.table, { ...(await stored(key)), lastPublishedAt: hourAgo });
    for (const each of await subscriptions()) await change(each, { createdAt: hourAgo });
    const full = { ...subscriptionCountKey(projectId()), activeCount: 99, managedCount: 99 };
    await putItem(tools.table, full);
    const third = await tools.another();

    expect(await send({}, third)).toMatchObject({ accepted: true });
    expect(await count()).toMatchObject({ activeCount: 100, managedCount: 100 });
    const own = await subscriptions(tools.agent);
    expect(own.filter(({ channel }) => channel?.name === earlier.channel)).toEqual([]);
    expect(await subscriptions(other)).toMatchObject([{ state: 'active', wakeDueAt: expect.any(String) }]);

    expect(await send({}, await tools.another())).toMatchObject({
      ...{ error: 'EVENT_CAPACITY', outcome: 'capacity', retryable: true },
    });
    expect(await count()).toMatchObject({ activeCount: 100, managedCount: 100 });
  });
});
