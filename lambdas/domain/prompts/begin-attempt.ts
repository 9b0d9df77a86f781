import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { transact, type Write } from '../records/transact.js';
import type { LoadedDelivery } from './load-delivery.js';
import { isBeingDelivered, loneMark } from './lone-prompt.js';
import { movePrompt, promptMove } from './move-prompt.js';
import { overtakeLone } from './overtake-lone.js';
import type { Prompt } from './prompt.js';

export type Attempt = Pick<
  Prompt,
  'kind' | 'attemptId' | 'runtimeIdentity' | 'adapterProtocolVersion' | 'receiptSupported'
>;

/**
 * Writes down that a prompt is about to be delivered, and to which run of the node's agent, before the node hears of it:
 * whoever comes after a crash knows whom to ask. Nothing is returned when somebody else was faster, with this prompt or
 * with another one of the chat. One table call.
 */
export async function beginAttempt(
  table: Table,
  { prompt, target }: LoadedDelivery,
  { attempt, now }: { readonly attempt: Attempt; readonly now: Date },
): Promise<LoadedDelivery | undefined> {
  const change = {
    ...attempt,
    deliveryState: 'delivering' as const,
    deliveryAttempts: prompt.deliveryAttempts + 1,
    attemptStartedAt: now.toISOString(),
    nextAttemptAt: null,
  };
  const begun = { ...prompt, ...change, version: prompt.version + 1 };
  const { chat } = target;
  if (prompt.isLone) {
    // Whoever begins another one of the chat takes this one into the queue first, and so changes its version.
    if (chat.deliveringId !== undefined) return undefined;
    const isBegun = await movePrompt(table, prompt, { change, now });
    return isBegun ? { prompt: begun, target } : undefined;
  }
  if (isBeingDelivered(target.lone) && !beginsAgent(prompt, chat)) return undefined;
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    ...takeChat({ prompt, target }, now),
  ]);
  const held = { ...chat, deliveringId: prompt.deliveryId };
  return committed ? { prompt: begun, target: { ...target, chat: held } } : undefined;
}

/** The chat delivers this one, and nothing else meanwhile; what waits alone in it is overtaken. */
function takeChat({ prompt, target: { chat, lone } }: LoadedDelivery, now: Date): readonly Write[] {
  const overtaken = beginsAgent(prompt, chat) ? undefined : lone;
  const take = {
    key: chatKey(chat.chatId),
    set: { deliveringId: prompt.deliveryId },
    remove: overtaken ? ['lone'] : [],
    when: {
      oneOf: { status: ['active', 'sleeping'] },
      absent: ['deliveringId'],
      equals: overtaken ? { lone: loneMark(overtaken) } : {},
    },
  };
  return [{ update: take }, ...(overtaken ? overtakeLone(overtaken, now) : [])];
}

/**
 * Its chat has its agent by it, and nobody delivers anything else until then: what an agent before has left in the chat is let
 * be.
 */
const beginsAgent = ({ deliveryId }: Prompt, { startDeliveryId }: Chat): boolean =>
  startDeliveryId === deliveryId;
