import type { Table } from '../../shared/table.js';
import { changeChat } from './change-chat.js';

/** Ends a chat whose agent session is gone. Repeatable. One table call. */
export async function endChat(table: Table, chatId: string, now: Date): Promise<void> {
  await changeChat(table, chatId, {
    set: { status: 'stopped', endedAt: now.toISOString() },
    when: { oneOf: { status: ['active', 'sleeping', 'error'] } },
    now,
  });
}
