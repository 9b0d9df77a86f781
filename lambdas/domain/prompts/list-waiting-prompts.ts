import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { getItems } from '../records/batch-items.js';
import { Prompt, promptKey } from './prompt.js';
import { readQueue } from './read-queue.js';

/** As many as one batch reads, and an answer holds. */
const most = 50;

/**
 * The first that wait in a chat, in the order in which they are delivered, then what has yet to be acknowledged. Two table
 * calls, or one if there are none.
 */
export async function listWaitingPrompts(table: Table, chat: Chat): Promise<readonly Prompt[]> {
  const waiting = await readQueue(table, chat, most);
  if (waiting.length === 0) return [];
  const keys = waiting.map(({ deliveryId }) => promptKey(chat.chatId, deliveryId));
  const find = await getItems(table, keys);
  return keys.flatMap((key) => {
    const item = find(key);
    return item ? [Prompt.parse(item)] : [];
  });
}
