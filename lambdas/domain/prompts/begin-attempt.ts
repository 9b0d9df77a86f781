import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { transact } from '../records/transact.js';
import { promptMove } from './move-prompt.js';
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
  prompt: Prompt,
  { attempt, now }: { readonly attempt: Attempt; readonly now: Date },
): Promise<Prompt | undefined> {
  const { chatId, deliveryId, version } = prompt;
  const change = {
    ...attempt,
    deliveryState: 'delivering' as const,
    deliveryAttempts: prompt.deliveryAttempts + 1,
    attemptStartedAt: now.toISOString(),
    nextAttemptAt: null,
  };
  const outcome = await transact(table, [
    promptMove(prompt, change, now),
    {
      update: {
        key: chatKey(chatId),
        set: { deliveringId: deliveryId },
        when: { oneOf: { status: ['active', 'sleeping'] }, absent: ['deliveringId'] },
      },
    },
  ]);
  return outcome.committed ? { ...prompt, ...change, version: version + 1 } : undefined;
}
