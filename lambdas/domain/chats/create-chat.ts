import { Conflict } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { type Chat, chatItem } from './chat.js';
import { ChatLimitReached, countOpenChat, withinChatLimit } from './open-chats.js';

/**
 * Stores a chat that has no task. One table call, and more at the limit.
 *
 * @throws {ChatLimitReached}
 * @throws {Conflict} the chat exists
 */
export function createChat(table: Table, chat: Chat, now: Date): Promise<Chat> {
  return withinChatLimit(table, { userId: chat.userId, now }, async () => {
    const outcome = await transact(table, [
      { put: chatItem(chat), when: { exists: false } },
      { update: countOpenChat(chat) },
    ]);
    if (outcome.committed) return chat;
    if (outcome.refusals[0]?.failed) throw new Conflict('The chat session exists.');
    throw new ChatLimitReached();
  });
}
