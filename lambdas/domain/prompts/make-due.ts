import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { type Prompt, promptKey } from './prompt.js';
import { dueSk, waitingKey } from './waiting-prompt.js';

/**
 * Has the sweep ring for a prompt that nobody else comes back for: its end is shown then, and its place is free. Nothing
 * where it is settled. One table call.
 */
export async function makeDue(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const { chatId, deliveryId, isLone } = prompt;
  await changeItem(table, {
    key: isLone ? promptKey(chatId, deliveryId) : waitingKey(prompt),
    set: { parentSk: dueSk(now.toISOString(), deliveryId) },
    when: { present: ['parentSk'] },
  });
}
