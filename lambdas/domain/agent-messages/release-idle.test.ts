import { BatchGetCommand, QueryCommand, type TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import type { Table } from '../../shared/table.js';
import { channelEvent } from '../event-channels/channel-event.js';
import { publicationItem } from '../event-channels/publication.js';
import { subscriptionItem } from '../event-subscriptions/event-subscription.js';
import { followerItem } from '../event-subscriptions/follower.js';
import { newAgentSubscription } from '../event-subscriptions/new-subscription.js';
import { eventItem } from '../project-events/project-event.js';
import type { Item } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { releaseIdle } from './release-idle.js';

const now = new Date('2026-11-27T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const projectId = newId();
const channelId = newId();
const name = `agent-dm.${'a'.repeat(40)}`;
const owner = {
  ...{ projectId, chatId: newId(), taskId: newId(), userId: newId(), agentSessionId: newId() },
};

/** The subscription that was replaced after message 7, which came so long ago. */
function replaced({ age, matchCount = 1 }: { age: number; matchCount?: number | null }) {
  const created = minutesAgo(60);
  const channel = { name, generation: channelId, watermark: 0 };
  const subscription = newAgentSubscription(
    { ...owner, tokenEndsAt: now.getTime() + 24 * 60 * 60_000 },
    {
      ...{ idempotencyKey: newId(), filter: { version: 1, subjectId: name }, target: {}, channel },
      ...{ requestedDelivery: 'existing_session_prompt', reason: null, expiresAt: null },
    },
    { isWakeEnabled: true, now: created },
  );
  const { userId, taskId, chatId: chatSessionId, agentSessionId } = owner;
  const actor = { userId, taskId, chatSessionId, workspaceId: newId(), agentSessionId };
  const event = channelEvent(
    { projectId, name, actor, message: 'The hinge is off', idempotencyKey: newId() },
    { channelId, lifetimeCount: 7 },
    minutesAgo(age),
  );
  return [
    subscriptionItem(subscription),
    followerItem({ ...subscription, channel: { ...channel, through: 7 } }),
    publicationItem({ channelId, sequence: 7, event }),
    eventItem({ ...event, matchCount }),
  ];
}

function tableOf(items: readonly (Key & Item)[]) {
  const written: unknown[] = [];
  const found = (keys: readonly Partial<Key>[]) =>
    items.filter(({ pk, sk }) => keys.some((key) => key.pk === pk && key.sk === sk));
  const send = async (command: BatchGetCommand | QueryCommand | TransactWriteCommand) => {
    if (command instanceof BatchGetCommand)
      return { Responses: { t: found(command.input.RequestItems?.t?.Keys ?? []) } };
    if (command instanceof QueryCommand)
      return { Items: items.filter(({ entity }) => entity === 'event-follower') };
    written.push(command.input.TransactItems);
    return {};
  };
  // The function sends only these commands.
  return { table: { name: 't', client: { send } } as unknown as Table, written };
}

const release = (table: Table) => releaseIdle(table, { projectId, channel: name, count: 2, now });

it('ends a replaced subscription, also while its channel is in use', async () => {
  const { table, written } = tableOf(replaced({ age: 11 }));

  expect(await release(table)).toBe(1);
  expect(written).toMatchObject([[{ Update: {} }, { Delete: {} }, { Update: {} }]]);
});

it.each([
  ['is new', { age: 9 }],
  ['is not matched', { age: 11, matchCount: null }],
])('keeps a replaced subscription whose last message %s', async (_what, last) => {
  const { table, written } = tableOf(replaced(last));

  expect(await release(table)).toBe(0);
  expect(written).toEqual([]);
});
