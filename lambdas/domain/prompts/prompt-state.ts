import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import { type FieldChanges, recordChange } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import { type DeliveryState, type MessageClass, messageClasses, type Prompt, promptKey } from './prompt.js';

const pendingStates: readonly DeliveryState[] = ['queued', 'delivering', 'retry_wait'];

/** The prompt is not delivered yet, and may still be. */
export const isPending = (state: DeliveryState): boolean => pendingStates.includes(state);

/**
 * No move leaves this state. A delivered prompt is not final: it may be acknowledged or
 * redelivered.
 */
export const isFinal = (state: DeliveryState): boolean => !isPending(state) && state !== 'delivered';

/** The fields of a prompt, and the index keys by which the sweep finds an unqueued prompt. */
type PromptRow = Prompt & { readonly parentPk: string; readonly parentSk: string };
export type PromptChange = FieldChanges<PromptRow>;

/** Every change of a prompt's state is made here: from the version and state that were read. */
const promptChange = (prompt: Prompt, change: PromptChange, now: Date): Change => {
  const { chatId, deliveryId, version, deliveryState } = prompt;
  return recordChange<PromptRow>(promptKey(chatId, deliveryId), {
    set: change,
    when: { equals: { version, deliveryState } },
    now,
  });
};

/** The move as part of a transaction. */
export const promptMove = (prompt: Prompt, change: PromptChange, now: Date): Write => ({
  update: promptChange(prompt, change, now),
});

/** The move on its own; false when the prompt has changed since it was read. One table call. */
export async function movePrompt(
  table: Table,
  prompt: Prompt,
  { change, now }: { readonly change: PromptChange; readonly now: Date },
): Promise<boolean> {
  const { changed } = await changeItem(table, promptChange(prompt, change, now));
  return changed;
}

/** The default time that a recipient has to acknowledge a prompt. */
export const ackTimeoutMs = 5 * 60_000;

/**
 * The time by which a delivered prompt must be acknowledged; null when no acknowledgement is due.
 */
export function ackDueOf({
  deliveryState,
  ackRequired,
  ackTimeoutMs: own,
  deliveredAt,
}: Pick<Prompt, 'deliveryState' | 'ackRequired' | 'ackTimeoutMs' | 'deliveredAt'>): string | null {
  if (deliveryState !== 'delivered' || !ackRequired || deliveredAt === null) return null;
  return new Date(Date.parse(deliveredAt) + (own ?? ackTimeoutMs)).toISOString();
}

/**
 * The state that clients see. A prompt that the node took is shown as ambiguous when its agent may
 * not have received it, and as failed when its agent certainly did not.
 */
export function shownState({
  deliveryState,
  receiptState,
  terminalReason,
}: Pick<Prompt, 'deliveryState' | 'receiptState' | 'terminalReason'>): DeliveryState {
  if (deliveryState !== 'delivered') return deliveryState;
  if (terminalReason === 'never_invoked') return 'failed';
  return receiptState === 'ambiguous' ? 'ambiguous' : deliveryState;
}

const rankOf = (messageClass: MessageClass): number => messageClasses.indexOf(messageClass);

/** Does not wait for the end of the running turn. */
export const isUrgent = (messageClass: MessageClass): boolean => rankOf(messageClass) >= rankOf('interrupt');

type Ranked = Pick<Prompt, 'messageClass' | 'sequence'>;

/** An interruption does not cancel the turn of a later and more urgent prompt. */
export const yieldsTo = (prompt: Ranked, running: Ranked | undefined): boolean =>
  running !== undefined &&
  rankOf(running.messageClass) > rankOf(prompt.messageClass) &&
  running.sequence > prompt.sequence;

/** Its sender has replan since. A replan does not affect prompts of other senders. */
export const isSuperseded = (
  { sourceTaskId, sequence }: Pick<Prompt, 'sourceTaskId' | 'sequence'>,
  { replan }: Pick<Chat, 'replan'>,
): boolean => replan !== undefined && replan.sourceTaskId === sourceTaskId && sequence < replan.sequence;

/**
 * The chat ends with another prompt. Only the prompt that starts the agent still goes before it.
 */
export const isShutOut = (
  { deliveryId }: Pick<Prompt, 'deliveryId'>,
  { shutdownId, startDeliveryId }: Pick<Chat, 'shutdownId' | 'startDeliveryId'>,
): boolean => shutdownId !== undefined && deliveryId !== shutdownId && deliveryId !== startDeliveryId;

/** Added to the text of a prompt: an agent does not see the class. */
export const classInstructions: Readonly<Partial<Record<MessageClass, string>>> = {
  preempt_and_replan:
    'Your previous work was stopped for this message. This message takes precedence over earlier instructions: make a new plan with it.',
  shutdown_with_final_prompt:
    'Your previous work was stopped for this message. It is the last message: your session ends with this turn.',
};
