import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { getItems } from '../records/batch-items.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { nothingUnconfirmed, removeConfirmMarker } from './confirmation.js';
import { isPrompting, reachOf } from './delivery-plan.js';
import { AckNotRequired, PromptNotFound } from './errors.js';
import { type DeliveryTarget, loadDelivery } from './load-delivery.js';
import { isSuperseded } from './message-classes.js';
import { type DeliveryState, deadlineOf, Prompt, promptKey } from './prompt.js';
import { ackDueOf, isFinal, type PromptChange, promptMove } from './prompt-state.js';
import { leaveQueue } from './queue.js';
import { countQueued, queueItem, removeAckDueItem } from './queue-items.js';

type PromptId = Pick<Prompt, 'chatId' | 'deliveryId'>;

/** The worker may deliver the prompt at the same time. */
const retries = { attempts: 3, message: 'The message changed at the same time. Try again.' };

/**
 * Records that the recipient has read a prompt: it is not delivered again, or not at all when it still
 * waits. A prompt in a final state stays as it is. Repeatable. Two table calls, and two more for each
 * change at the same time.
 *
 * @throws {PromptNotFound} the chat has no such prompt
 * @throws {AckNotRequired}
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
  const found = (await getItems(table, [key]))(key);
  if (!found) throw new PromptNotFound();
  const prompt = Prompt.parse(found);
  if (!prompt.ackRequired) throw new AckNotRequired();
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

const showDelivered = (
  { chatId, sequence, deliveryId }: Prompt,
  reason: 'not_acknowledged' | null,
): Write => ({
  update: {
    key: messageKey(chatId, sequence),
    set: { delivery: { deliveryId, state: 'delivered', reason } },
    when: { exists: true },
  },
});

/** A prompt that is not acknowledged is delivered again at most so often. */
const maxRedeliveries = 5;

/**
 * Handles a delivered prompt that was not acknowledged in time: queues it again, or gives it up. True
 * when it is queued. At most two table calls.
 */
export async function redeliverOverdue(
  table: Table,
  { chat, deliveryId }: { readonly chat: Chat; readonly deliveryId: string },
  now: Date,
): Promise<boolean> {
  const { prompt, target } = await loadDelivery(table, chat, deliveryId);
  const plan = planRedelivery(prompt, target, now);
  if (plan === 'queue') return queueAgain(table, prompt, { chat, now });
  if (plan === 'give_up') await giveUp(table, prompt, now);
  return false;
}

function planRedelivery(prompt: Prompt, target: DeliveryTarget, now: Date): 'wait' | 'queue' | 'give_up' {
  const ackDueAt = ackDueOf(prompt);
  if (ackDueAt === null || now.getTime() < Date.parse(ackDueAt)) return 'wait';
  const reach = reachOf(target);
  const isGone = reach !== 'awake' && reach !== 'asleep';
  const isObsolete = target.chat.shutdownId !== undefined || isSuperseded(prompt, target.chat);
  if (isGone || isObsolete || prompt.redeliveries >= maxRedeliveries) return 'give_up';
  // The agent may acknowledge at the end of the turn that runs.
  return isPrompting(target.chat, now) ? 'wait' : 'queue';
}

/** Queues the prompt as if it were new, under another delivery id of the node. False on a conflict. */
async function queueAgain(
  table: Table,
  prompt: Prompt,
  { chat, now }: { readonly chat: Chat; readonly now: Date },
): Promise<boolean> {
  const { chatId, deliveryId } = prompt;
  const change = asNew(prompt, now);
  const queued = { ...prompt, ...change };
  // From now on the node is asked about the new delivery.
  const wasUnconfirmed = chat.unconfirmedId === deliveryId;
  const update = chatChange(chatId, {
    set: wasUnconfirmed ? nothingUnconfirmed : {},
    increment: { queuedPrompts: 1 },
    when: wasUnconfirmed ? { equals: { unconfirmedId: deliveryId } } : {},
    now,
  });
  const outcome = await transact(table, [
    promptMove(prompt, change, now),
    { update },
    ...removeAckDueItem(prompt),
    ...(wasUnconfirmed ? [removeConfirmMarker(chatId)] : []),
    { put: queueItem(queued), when: { exists: false } },
    countQueued(queued),
  ]);
  return outcome.committed;
}

const asNew = (prompt: Prompt, now: Date) => ({
  deliveryState: 'queued' as const,
  kind: 'prompt' as const,
  redeliveries: prompt.redeliveries + 1,
  deliveryAttempts: 0,
  attemptId: null,
  attemptStartedAt: null,
  nextAttemptAt: null,
  runtimeIdentity: null,
  receiptState: null,
  receiptRuntimeIdentity: null,
  receiptCheckedAt: null,
  acceptedAt: null,
  lastError: null,
  terminalReason: null,
  deadlineAt: deadlineOf({ ...prompt, kind: 'prompt' }, now),
});

async function giveUp(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const reason = 'not_acknowledged';
  await transact(table, [
    promptMove(prompt, { deliveryState: 'expired', terminalReason: reason }, now),
    ...removeAckDueItem(prompt),
    showDelivered(prompt, reason),
  ]);
}
