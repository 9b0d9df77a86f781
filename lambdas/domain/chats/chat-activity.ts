import { isDeepStrictEqual } from 'node:util';
import type { AgentActivity } from '../../../protocol/agent-callbacks.js';
import type { Table } from '../../shared/table.js';
import { changeChat } from './change-chat.js';
import type { Chat, ChatActivity } from './chat.js';
import { chatNotFound } from './errors.js';

/**
 * The activity of a chat after a report of its node. Undefined for a delayed report of an earlier
 * prompt, which must not replace the current activity.
 */
export function activityAfter(
  { activity: current }: Pick<Chat, 'activity'>,
  report: AgentActivity,
  now: Date,
): ChatActivity | undefined {
  const { activity, agentType = null, restartCount, statusError = null } = report;
  const promptStartedAt = activity === 'prompting' ? (report.promptStartedAt ?? null) : null;
  if (promptStartedAt !== null && promptStartedAt < (current?.promptStartedAt ?? 0)) return undefined;
  const activityAt = now.toISOString();
  return { activity, activityAt, promptStartedAt, agentType, restartCount, statusError };
}

/** Only the time of the report is new. */
const isRepeat = (next: ChatActivity, current: ChatActivity | null): boolean =>
  current !== null && isDeepStrictEqual({ ...next, activityAt: current.activityAt }, current);

/**
 * Stores an activity report. A repeat of the node changes only its time, which clients do not see.
 * Returns the chat afterwards. One table call, or none.
 *
 * @throws {chatNotFound}
 */
export async function recordActivity(
  table: Table,
  chat: Chat,
  { report, now }: { readonly report: AgentActivity; readonly now: Date },
): Promise<Chat> {
  const activity = activityAfter(chat, report, now);
  if (!activity) return chat;
  const isInternal = isRepeat(activity, chat.activity);
  const outcome = await changeChat(table, chat.chatId, { set: { activity }, isInternal, now });
  if (!outcome.chat) throw chatNotFound();
  return outcome.chat;
}
