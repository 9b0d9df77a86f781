import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { Chat, chatKey, maxMessagesPerChat } from './chat.js';
import { ChatNotFound, MessageLimitExceeded } from './errors.js';
import { type Message, messageItem } from './message.js';

/** Each time somebody else has taken the next place in the chat, which happens while an agent speaks. */
const attempts = 6;

export interface Appended {
  /** As it was read; whoever came between is met. */
  readonly chat: Chat;
  readonly message: Pick<Message, 'messageId' | 'role' | 'content' | 'toolMetadata' | 'origin'>;
  /** What else of the chat it changes. */
  readonly set?: Partial<Chat>;
  readonly now: Date;
}

/**
 * Puts a message of the control plane's own at the end of a chat. One table call, and one more for each time that another
 * message took the place.
 *
 * @throws {MessageLimitExceeded | ChatNotFound}
 */
export async function appendMessage(table: Table, { chat, message, set, now }: Appended): Promise<void> {
  const at = now.toISOString();
  const { chatId, projectId } = chat;
  let { lastSequence } = chat;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (lastSequence >= maxMessagesPerChat) throw new MessageLimitExceeded();
    const sequence = lastSequence + 1;
    const outcome = await transact(table, [
      {
        update: {
          key: chatKey(chatId),
          set: { ...set, lastSequence: sequence, lastMessageAt: at, updatedAt: at },
          add: { messageCount: 1, version: 1 },
          when: { equals: { lastSequence } },
        },
      },
      {
        put: messageItem({ ...message, chatId, projectId, sequence, createdAt: at }),
        when: { exists: false },
      },
    ]);
    if (outcome.committed) return;
    const met = outcome.refusals[0]?.item;
    if (!met) throw new ChatNotFound();
    ({ lastSequence } = Chat.parse(met));
  }
  throw new Unavailable('The session was changed at the same moment; try again');
}
