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
  const since = (current?.activity === activity && current.since) || activityAt;
  const work = workOf(report, now);
  const seen = { activity, activityAt, promptStartedAt, agentType, restartCount, statusError };
  return { ...seen, since, ...(work ? { work } : {}) };
}

/** A clock of the node that is ahead does not prolong the lease of the work. */
function workOf(report: AgentActivity, now: Date): ChatActivity['work'] {
  const { runtimeWorkState: state = 'inactive', runtimeWorkProgressAt: progress = now.getTime() } = report;
  if (state === 'inactive') return undefined;
  const { runtimeWorkCount: count = null, runtimeWorkSource: source = null } = report;
  return { state, count, source, progressAt: new Date(Math.min(progress, now.getTime())).toISOString() };
}

/** Only times are new. */
const isRepeat = (next: ChatActivity, current: ChatActivity | null): boolean =>
  current !== null && isDeepStrictEqual(withoutTimes(next), withoutTimes(current));

function withoutTimes({ activityAt: _, since: __, work, ...seen }: ChatActivity) {
  return { ...seen, work: work && { ...work, progressAt: '' } };
}

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
