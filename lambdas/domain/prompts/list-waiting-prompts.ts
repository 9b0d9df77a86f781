import type { Table } from '../../shared/table.js';
import { getItems } from '../records/get-items.js';
import { Prompt, promptKey } from './prompt.js';
import { readQueue } from './read-queue.js';

/** As many as one batch reads, and an answer holds. */
const most = 50;

/**
 * The first of a chat's queue, in the order in which they are delivered, then what has yet to be acknowledged. Two table
 * calls, or one if there are none.
 */
export async function listWaitingPrompts(table: Table, chatId: string): Promise<readonly Prompt[]> {
  const waiting = await readQueue(table, chatId, most);
  if (waiting.length === 0) return [];
  const keys = waiting.map(({ deliveryId }) => promptKey(chatId, deliveryId));
  const find = await getItems(table, keys);
  return keys.flatMap((key) => {
    const item = find(key);
    return item ? [Prompt.parse(item)] : [];
  });
}
