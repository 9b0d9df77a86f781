import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type BatchGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import type { Table } from '../../shared/table.js';
import { channelItem } from '../event-channels/channel.js';
import { subscriptionItem } from '../event-subscriptions/event-subscription.js';
import { followerItem, followerKey } from '../event-subscriptions/follower.js';
import { newAgentSubscription } from '../event-subscriptions/new-subscription.js';
import { eventItem } from '../project-events/project-event.js';
import type { Item } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { pairChannelName } from './pair-channel.js';
import { pairMemberKey } from './pair-member.js';
import { sendOnChannel } from './send-on-channel.js';

type Written = NonNullable<TransactWriteCommandInput['TransactItems']>;

const now = new Date('2026-11-27T12:00:00Z');
const projectId = newId();
const participant = () => ({
  ...{ projectId, chatId: newId(), taskId: newId(), userId: newId(), agentSessionId: newId() },
});
const [sender, recipient] = [participant(), participant()];
const name = pairChannelName(projectId, [sender.chatId, recipient.chatId]);

const subscriptionOf = (owner: typeof sender) =>
  newAgentSubscription(
    { ...owner, tokenEndsAt: now.getTime() + 60 * 60_000 },
    {
      ...{ idempotencyKey: newId(), filter: { version: 1, subjectId: name }, target: {} },
      ...{ requestedDelivery: 'existing_session_prompt', reason: null, expiresAt: null },
      channel: { name, generation: newId(), watermark: 0 },
    },
    { isWakeEnabled: true, now },
  );

const { chatId: chatSessionId, userId, taskId, agentSessionId } = sender;
const message = {
  ...{ sender, recipient, message: 'The hinge is off', metadata: null, idempotencyKey: 'once' },
  actor: { userId, taskId, chatSessionId, workspaceId: newId(), agentSessionId },
  messageClass: 'deliver',
} as const;

/** Reads these items, and refuses a transaction that checks one that is not there. */
function tableOf(items: Map<string, Item>, beforeWrite: (attempt: number) => void) {
  const transactions: Written[] = [];
  const at = ({ pk, sk }: Partial<Key>) => items.get(`${pk} ${sk}`);
  const read = (keys: readonly Key[]) => ({ Responses: { t: keys.flatMap((key) => at(key) ?? []) } });
  const write = (writes: Written) => {
    transactions.push(writes);
    beforeWrite(transactions.length);
    const isRefused = ({ ConditionCheck }: Written[number]) =>
      String(ConditionCheck?.Key?.pk).startsWith('EVENTFOLLOWERS') && !at(ConditionCheck?.Key ?? {});
    if (!writes.some(isRefused)) return {};
    throw new TransactionCanceledException({
      ...{ message: 'refused', $metadata: {} },
      CancellationReasons: writes.map((one) => ({
        Code: isRefused(one) ? 'ConditionalCheckFailed' : 'None',
      })),
    });
  };
  const send = async (command: TransactWriteCommand | BatchGetCommand | UpdateCommand) => {
    if (command instanceof TransactWriteCommand) return write(command.input.TransactItems ?? []);
    if (command instanceof UpdateCommand) return { Attributes: at(command.input.Key ?? {}) };
    return read((command.input.RequestItems?.t?.Keys ?? []) as Key[]);
  };
  // The function sends only these commands.
  return { table: { name: 't', client: { send } } as unknown as Table, transactions };
}

it('subscribes the recipient again when its subscription ends between the read and the message', async () => {
  const own = subscriptionOf(sender);
  const released = subscriptionOf(recipient);
  const at = now.toISOString();
  const channel = {
    channelId: newId(),
    projectId,
    name,
    lifetimeCount: 4,
    createdAt: at,
    lastPublishedAt: at,
  };
  const items = new Map<string, Item>();
  const put = (item: Key & Item) => items.set(`${item.pk} ${item.sk}`, item);
  put(channelItem(channel));
  for (const { subscription, chatId } of [
    { subscription: own, chatId: sender.chatId },
    { subscription: released, chatId: recipient.chatId },
  ]) {
    const { subscriptionId } = subscription;
    const member = { projectId, channel: name, chatId, subscriptionId };
    put({ ...pairMemberKey(member), ...member });
    put(subscriptionItem(subscription));
    put(followerItem(subscription));
  }
  const { table, transactions } = tableOf(items, (attempt) => {
    if (attempt > 1) return;
    put(subscriptionItem({ ...released, state: 'cancelled' }));
    const { pk, sk } = followerKey(released);
    items.delete(`${pk} ${sk}`);
  });

  const sent = await sendOnChannel(table, { ...message, isReachable: true }, { newId, now });

  expect(sent).toMatchObject({ outcome: 'created', sequence: 5 });
  const subscribed = transactions.map((writes) =>
    writes.flatMap(({ Put }) => (Put?.Item?.entity === 'event-subscription' ? [Put.Item.ownerChatId] : [])),
  );
  expect(subscribed).toEqual([[], [recipient.chatId]]);
});

it('returns a stored message for a repeat after the recipient has ended, and takes no new one', async () => {
  const items = new Map<string, Item>();
  const { table, transactions } = tableOf(items, () => {});
  const first = await sendOnChannel(table, { ...message, isReachable: true }, { newId, now });
  const stored = eventItem(first.event);
  items.set(`${stored.pk} ${stored.sk}`, stored);

  const gone = { ...message, isReachable: false };
  expect(await sendOnChannel(table, gone, { newId, now })).toMatchObject({
    ...{ outcome: 'duplicate_replay', sequence: 1, event: { eventId: first.event.eventId } },
  });
  await expect(
    sendOnChannel(table, { ...gone, idempotencyKey: 'other' }, { newId, now }),
  ).rejects.toMatchObject({ data: { outcome: 'recipient_unavailable', retryable: false } });
  expect(transactions).toHaveLength(1);
});
