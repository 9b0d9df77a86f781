import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { getItems } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';
import { AckNotRequired, PromptNotFound } from './errors.js';
import { leaveQueue } from './leave-queue.js';
import { type PromptChange, promptMove } from './move-prompt.js';
import { type DeliveryState, Prompt, promptKey } from './prompt.js';
import { notUnread } from './waiting-prompt.js';

/** Each time it was moved meanwhile: it is about to be delivered, or was just. */
const attempts = 3;

const over: readonly DeliveryState[] = ['acked', 'failed', 'ambiguous', 'expired'];

/**
 * Its reader has read a prompt: it is not delivered again, and not at all where that was still to come. What has ended
 * before stays as it is. Repeatable. Two table calls, and two more each time that it was moved meanwhile.
 *
 * @throws {PromptNotFound} there is no such prompt in the chat
 * @throws {AckNotRequired}
 */
export async function acknowledgePrompt(
  table: Table,
  { chatId, deliveryId }: Pick<Prompt, 'chatId' | 'deliveryId'>,
  now: Date,
): Promise<DeliveryState> {
  const key = promptKey(chatId, deliveryId);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const found = (await getItems(table, [key]))(key);
    if (!found) throw new PromptNotFound();
    const prompt = Prompt.parse(found);
    if (!prompt.ackRequired) throw new AckNotRequired();
    if (over.includes(prompt.deliveryState)) return prompt.deliveryState;
    const outcome = await transact(table, acknowledgement(prompt, now));
    if (outcome.committed) return 'acked';
  }
  throw new Unavailable('The message was moved at the same moment; try again');
}

function acknowledgement(prompt: Prompt, now: Date): readonly Write[] {
  const { chatId, deliveryId, sequence, deliveryState } = prompt;
  const { ofPrompt, writes } = deliveryState === 'delivered' ? wasDelivered(prompt) : wasWaiting(prompt, now);
  const change = {
    ...{ deliveryState: 'acked' as const, ackedAt: now.toISOString() },
    ...{ nextAttemptAt: null, lastError: null, terminalReason: null },
  };
  return [
    promptMove(prompt, { ...change, ...ofPrompt }, now),
    ...writes,
    {
      update: {
        key: messageKey(chatId, sequence),
        set: { delivery: { deliveryId, state: 'delivered', reason: null } },
        when: { exists: true },
      },
    },
  ];
}

interface Taken {
  readonly ofPrompt: PromptChange;
  readonly writes: readonly Write[];
}

const wasDelivered = (prompt: Prompt): Taken => ({ ofPrompt: {}, writes: notUnread(prompt) });

function wasWaiting(prompt: Prompt, now: Date): Taken {
  const { ofPrompt, ofChat, others } = leaveQueue(prompt, { deliveringId: prompt.deliveryId });
  const chat = {
    key: chatKey(prompt.chatId),
    set: { updatedAt: now.toISOString() },
    remove: ofChat.remove,
    add: { queuedPrompts: -1, version: 1 },
    when: { exists: true, ...ofChat.when },
  };
  return { ofPrompt, writes: [{ update: chat }, ...others] };
}
