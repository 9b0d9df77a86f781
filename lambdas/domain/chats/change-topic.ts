import type { Table } from '../../shared/table.js';
import { changeChat } from './change-chat.js';
import type { Chat } from './chat.js';

/** What a chat is about. Repeatable. One table call, or none. */
export async function changeTopic(
  table: Table,
  chat: Chat,
  { topic, now }: { readonly topic: string; readonly now: Date },
): Promise<void> {
  if (chat.topic === topic) return;
  await changeChat(table, chat.chatId, { set: { topic }, now });
}
