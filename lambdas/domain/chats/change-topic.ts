import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { type Chat, chatKey } from './chat.js';

/** What a chat is about. Repeatable. One table call, or none. */
export async function changeTopic(
  table: Table,
  chat: Chat,
  { topic, now }: { readonly topic: string; readonly now: Date },
): Promise<void> {
  if (chat.topic === topic) return;
  await changeItem(table, {
    key: chatKey(chat.chatId),
    set: { topic, updatedAt: now.toISOString() },
    add: { version: 1 },
    when: { exists: true },
  });
}
