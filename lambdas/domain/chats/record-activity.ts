import type { ActivityReport } from '../../../protocol/agent-callbacks.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { withoutNulls } from '../records/nulls.js';
import { Chat, type ChatActivity, chatKey } from './chat.js';

/**
 * What the agent of a chat does. A node reports one thing after the other; what a prompt began at never changes while it
 * runs, so that a report is taken as it is. Told again by the node every minute, it writes only what is new. One table
 * call, or none.
 *
 * @returns the chat as it is afterwards
 */
export async function recordActivity(
  table: Table,
  chat: Chat,
  { report, now }: { readonly report: ActivityReport; readonly now: Date },
): Promise<Chat> {
  const { activity, promptStartedAt = null, agentType = null, restartCount, statusError = null } = report;
  const told: ChatActivity = {
    activity,
    activityAt: now.toISOString(),
    promptStartedAt: activity === 'prompting' ? promptStartedAt : null,
    agentType,
    restartCount,
    statusError,
  };
  // An earlier prompt's report that was held up must not hide the present one.
  const present = chat.activity?.promptStartedAt ?? 0;
  if (told.promptStartedAt !== null && told.promptStartedAt < present) return chat;
  const { item } = await changeItem(table, {
    key: chatKey(chat.chatId),
    set: { activity: withoutNulls(told), updatedAt: now.toISOString() },
    add: { version: 1 },
    when: { exists: true },
  });
  return Chat.parse(item);
}
