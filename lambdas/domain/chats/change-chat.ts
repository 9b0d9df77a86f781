import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { type Change, withoutNulls } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import { Chat, chatKey } from './chat.js';

export type ChatChange = RecordChange<Chat>;

/** Every change of a chat's row is made here: by `changeChat`, or as part of a transaction. */
export function chatChange(chatId: string, { set, ...change }: ChatChange): Change {
  const { activity, ...fields } = set ?? {};
  const removed = activity === null ? { activity } : {};
  const written = recordChange<Chat>(chatKey(chatId), { ...change, set: { ...fields, ...removed } });
  return activity ? { ...written, set: { ...written.set, activity: withoutNulls(activity) } } : written;
}

type ChatOutcome =
  | { readonly changed: true; readonly chat: Chat }
  | { readonly changed: false; readonly chat: Chat | undefined };

/** Compare and set on one chat; `chat` is the row after it, or as it stands. One table call. */
export async function changeChat(table: Table, chatId: string, change: ChatChange): Promise<ChatOutcome> {
  const { changed, item } = await changeItem(table, chatChange(chatId, change));
  if (changed) return { changed, chat: Chat.parse(item) };
  return { changed, chat: item && Chat.parse(item) };
}

/** Repeatable. One table call, or none when the topic is the same. */
export async function changeTopic(
  table: Table,
  chat: Chat,
  { topic, now }: { readonly topic: string; readonly now: Date },
): Promise<void> {
  if (chat.topic === topic) return;
  await changeChat(table, chat.chatId, { set: { topic }, now });
}

/** Ends a chat that has no agent session, also one in `error`. Repeatable. One table call. */
export async function endChat(table: Table, chatId: string, now: Date): Promise<void> {
  await changeChat(table, chatId, {
    set: { status: 'stopped', endedAt: now.toISOString() },
    when: { oneOf: { status: ['active', 'sleeping', 'error'] } },
    now,
  });
}
