import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { chatKey } from './chat.js';

/** Ends a chat that no agent session tells. Repeatable. One table call. */
export async function endChat(table: Table, chatId: string, now: Date): Promise<void> {
  const at = now.toISOString();
  await changeItem(table, {
    key: chatKey(chatId),
    set: { status: 'stopped', endedAt: at, updatedAt: at },
    add: { version: 1 },
    when: { oneOf: { status: ['active', 'sleeping', 'error'] } },
  });
}
