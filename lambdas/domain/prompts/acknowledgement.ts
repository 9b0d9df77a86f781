import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { messageKey } from '../chats/message.js';
import { getItem } from '../records/batch-items.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { ackNotRequired, promptNotFound } from './errors.js';
import { type DeliveryState, Prompt, promptKey } from './prompt.js';
import { isFinal, type PromptChange, promptMove } from './prompt-state.js';
import { leaveQueue } from './queue.js';
import { removeAckDueItem } from './queue-items.js';

type PromptId = Pick<Prompt, 'chatId' | 'deliveryId'>;

/** The worker may deliver the prompt at the same time. */
const retries = { attempts: 3, message: 'The message changed at the same time. Try again.' };

/**
 * Records that the recipient has read a prompt: it is not delivered again, or not at all when it
 * still waits. A prompt in a final state stays as it is. Repeatable. Two table calls, and two more
 * for each change at the same time.
 *
 * @throws {promptNotFound} the chat has no such prompt
 * @throws {ackNotRequired}
 */
export async function acknowledgePrompt(table: Table, id: PromptId, now: Date): Promise<DeliveryState> {
  const prompt = await loadToAcknowledge(table, id);
  return retryOnConflict<Prompt, DeliveryState>(prompt, retries, async (current) => {
    if (isFinal(current.deliveryState)) return { result: current.deliveryState };
    const { committed } = await transact(table, acknowledgementWrites(current, now));
    return committed ? { result: 'acked' } : { met: await loadToAcknowledge(table, id) };
  });
}

async function loadToAcknowledge(table: Table, { chatId, deliveryId }: PromptId): Promise<Prompt> {
  const key = promptKey(chatId, deliveryId);
  const found = await getItem(table, key);
  if (!found) throw promptNotFound();
  const prompt = Prompt.parse(found);
  if (!prompt.ackRequired) throw ackNotRequired();
  return prompt;
}

function acknowledgementWrites(prompt: Prompt, now: Date): readonly Write[] {
  const isDelivered = prompt.deliveryState === 'delivered';
  const { ofPrompt, writes } = isDelivered
    ? { ofPrompt: {}, writes: removeAckDueItem(prompt) }
    : withdrawal(prompt, now);
  const change = {
    deliveryState: 'acked' as const,
    ackedAt: now.toISOString(),
    nextAttemptAt: null,
    lastError: null,
    terminalReason: null,
  };
  return [promptMove(prompt, { ...change, ...ofPrompt }, now), ...writes, showDelivered(prompt, null)];
}

interface Withdrawal {
  readonly ofPrompt: PromptChange;
  readonly writes: readonly Write[];
}

/** Takes a prompt that was acknowledged before its delivery out of the queue. */
function withdrawal(prompt: Prompt, now: Date): Withdrawal {
  const { ofPrompt, ofChat, writes } = leaveQueue(prompt, { deliveringId: prompt.deliveryId });
  const update = chatChange(prompt.chatId, { ...ofChat, increment: { queuedPrompts: -1 }, now });
  return { ofPrompt, writes: [{ update }, ...writes] };
}

/** What clients see of a prompt that was delivered. */
export const showDelivered = (
  { chatId, sequence, deliveryId }: Prompt,
  reason: 'not_acknowledged' | null,
): Write => ({
  update: {
    key: messageKey(chatId, sequence),
    set: { delivery: { deliveryId, state: 'delivered', reason } },
    when: { exists: true },
  },
});
