import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { batchItem, type EventBatch } from '../event-subscriptions/event-batch.js';
import { pointerItem } from '../event-subscriptions/event-match.js';
import { allowSystem } from '../policy/allow.js';
import { acceptPrompt, type PromptRequest } from '../prompts/accept-prompt.js';
import type { Write } from '../records/transact.js';
import { endMatch, hasMore, progress } from './claim-writes.js';
import type { LoadedWake } from './load-wake.js';
import { afterCooldown } from './plan-wake.js';
import { wakeMessage } from './wake-message.js';
import { claimTarget } from './wake-target.js';

interface Materialisation {
  readonly chat: Chat;
  /** Also the delivery id of the prompt. */
  readonly batchId: string;
  readonly now: Date;
}

/**
 * Wakes the chat of a subscription: one transaction creates the batch, claims its matches, queues
 * the prompt and counts the wake. So an event is in one prompt, whoever tries, and however often.
 * One table call, and one for each message of the chat at the same time.
 *
 * @throws {AlongsideRefused} the subscription, a match or the target has changed; nothing is stored
 * @throws the errors of `acceptPrompt`
 */
export async function materialiseWake(
  table: Table,
  loaded: LoadedWake,
  { chat, batchId, now }: Materialisation,
): Promise<void> {
  const batch = newBatch(loaded, batchId, now);
  await acceptPrompt(table, promptOf(batch), {
    chat: allowSystem('chat.prompt', chat),
    now,
    alongside: batchWrites(loaded, { batch, chatId: chat.chatId, now }),
  });
}

function newBatch({ subscription, matches }: LoadedWake, batchId: string, now: Date): EventBatch {
  const { subscriptionId, projectId, owner, requestedDelivery, resolvedDelivery } = subscription;
  const at = now.toISOString();
  return {
    ...{ batchId, subscriptionId, projectId, ownerId: owner.id, requestedDelivery, resolvedDelivery },
    state: 'pending',
    eventIds: matches.map(({ eventId }) => eventId),
    sequences: matches.map(({ sequence }) => sequence),
    ...{ deliveredAt: null, acknowledgedAt: null, acknowledgedBy: null },
    ...{ terminalAt: null, terminalReason: null, version: 1, createdAt: at, updatedAt: at },
  };
}

interface Claim {
  readonly batch: EventBatch;
  readonly chatId: string;
  readonly now: Date;
}

function batchWrites(loaded: LoadedWake, { batch, chatId, now }: Claim): readonly Write[] {
  const { subscription, target, matches, readThrough } = loaded;
  const { batchId, subscriptionId, projectId, ownerId } = batch;
  const cooldownUntil = afterCooldown(now);
  const wake = {
    wakeCount: (subscription.wakeCount ?? 0) + 1,
    lastWakeAt: now.toISOString(),
    wakeCooldownUntil: cooldownUntil,
    wakeThrough: readThrough,
  };
  const pointer = { deliveryId: batchId, subscriptionId, projectId, ownerId, sequence: null };
  return [
    progress(loaded, { dueAt: hasMore(loaded) ? cooldownUntil : null, set: wake, now }),
    claimTarget({ chatId, batchId, subscriptionId, cooldownUntil }, target),
    { put: batchItem(batch), when: { exists: false } },
    { put: pointerItem(pointer, batch.createdAt), when: { exists: false } },
    ...matches.map((match) => endMatch(match, { to: 'batch_created', batchId, now })),
  ];
}

function promptOf(batch: EventBatch): PromptRequest {
  const { batchId, subscriptionId, eventIds, requestedDelivery, createdAt } = batch;
  return {
    deliveryId: batchId,
    sourceKind: 'project_event_wake',
    senderType: 'system',
    senderId: 'project-data',
    messageClass: requestedDelivery === 'runtime_interrupt' ? 'interrupt' : 'deliver',
    content: wakeMessage(batch),
    metadata: {
      projectEventWake: true,
      ...{ batchId, subscriptionId, eventIds, createdAt },
      eventCount: eventIds.length,
      payloadPolicy: 'ids_only',
    },
  };
}
