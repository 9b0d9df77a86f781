import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import { Chat, chatKey } from './chat.js';

export type ChatChange = RecordChange<Chat>;

/** Every change of a chat's row is made here: alone by `changeChat`, or as part of a transaction. */
export const chatChange = (chatId: string, change: ChatChange): Change =>
  recordChange<Chat>(chatKey(chatId), change);

export type ChatOutcome =
  | { readonly changed: true; readonly chat: Chat }
  | { readonly changed: false; readonly chat: Chat | undefined };

/** Compare and set on one chat; `chat` is the row after it, or as it stands. One table call. */
export async function changeChat(table: Table, chatId: string, change: ChatChange): Promise<ChatOutcome> {
  const { changed, item } = await changeItem(table, chatChange(chatId, change));
  if (changed) return { changed, chat: Chat.parse(item) };
  return { changed, chat: item && Chat.parse(item) };
}
