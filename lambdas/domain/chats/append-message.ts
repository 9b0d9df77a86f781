import type { Table } from '../../shared/table.js';
import type { FieldChanges } from '../records/record-change.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { chatChange } from './change-chat.js';
import { Chat, maxMessagesPerChat } from './chat.js';
import { chatNotFound, MessageLimitExceeded } from './errors.js';
import { type Message, messageItem } from './message.js';

/** While an agent writes, it takes the next sequence number several times a second. */
const retries = { attempts: 6, message: 'The session changed at the same time. Try again.' };

interface Appended {
  /** As it was read; another writer may have changed it since. */
  readonly chat: Chat;
  readonly message: Pick<Message, 'messageId' | 'role' | 'content' | 'toolMetadata' | 'origin'>;
  /** Other fields of the chat to change. */
  readonly set?: FieldChanges<Chat> | undefined;
  readonly now: Date;
}

/**
 * Appends a message of the control plane to a chat. One table call, and one more for each message
 * that was stored at the same time.
 *
 * @throws {MessageLimitExceeded | chatNotFound}
 */
export async function appendMessage(table: Table, { chat, message, set, now }: Appended): Promise<void> {
  await retryOnConflict(chat.lastSequence, retries, async (lastSequence) => {
    if (lastSequence >= maxMessagesPerChat) throw new MessageLimitExceeded();
    const outcome = await transact(table, appendWrites({ ...chat, lastSequence }, { message, set, now }));
    if (outcome.committed) return { result: undefined };
    const met = outcome.refusals[0]?.item;
    if (!met) throw chatNotFound();
    return { met: Chat.parse(met).lastSequence };
  });
}

/** The writes that append a message, if no other was stored since the chat was read. */
export function appendWrites(
  { chatId, projectId, lastSequence }: Chat,
  { message, set, now }: Omit<Appended, 'chat'>,
): readonly Write[] {
  const at = now.toISOString();
  const sequence = lastSequence + 1;
  return [
    {
      update: chatChange(chatId, {
        set: { ...set, lastSequence: sequence, lastMessageAt: at },
        increment: { messageCount: 1 },
        when: { equals: { lastSequence } },
        now,
      }),
    },
    { put: messageItem({ ...message, chatId, projectId, sequence, createdAt: at }), when: { exists: false } },
  ];
}
