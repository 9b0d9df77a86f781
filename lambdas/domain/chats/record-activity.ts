import type { AgentActivity } from '../../../protocol/agent-callbacks.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { withoutNulls } from '../records/changes.js';
import { Chat, chatKey } from './chat.js';
import { isRepeat, toldActivity } from './told-activity.js';

/**
 * What the agent of a chat does. A node reports one thing after the other; what a prompt began at never changes while it
 * runs, so that a report is taken as it is. Told again by the node while its agent works, it changes nothing that anybody
 * sees but its time. One table call, or none.
 *
 * @returns the chat as it is afterwards
 */
export async function recordActivity(
  table: Table,
  chat: Chat,
  { report, now }: { readonly report: AgentActivity; readonly now: Date },
): Promise<Chat> {
  const told = toldActivity(chat, report, now);
  if (!told) return chat;
  const { item } = await changeItem(table, {
    key: chatKey(chat.chatId),
    set: { activity: withoutNulls(told), updatedAt: now.toISOString() },
    ...(isRepeat(told, chat.activity) ? {} : { add: { version: 1 } }),
    when: { exists: true },
  });
  return Chat.parse(item);
}
