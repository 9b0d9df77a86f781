import type { Table } from '../../shared/table.js';
import { getItems } from '../records/get-items.js';
import { Prompt, promptKey } from './prompt.js';
import { readQueue } from './read-queue.js';

/** As many as one batch reads, and an answer holds. */
const most = 50;

/** The first of a chat's queue, in the order in which they are delivered. Two table calls, or one if there are none. */
export async function listWaitingPrompts(table: Table, chatId: string): Promise<readonly Prompt[]> {
  const deliveries = await readQueue(table, chatId, most);
  if (deliveries.length === 0) return [];
  const keys = deliveries.map((deliveryId) => promptKey(chatId, deliveryId));
  const find = await getItems(table, keys);
  return keys.flatMap((key) => {
    const item = find(key);
    return item ? [Prompt.parse(item)] : [];
  });
}
