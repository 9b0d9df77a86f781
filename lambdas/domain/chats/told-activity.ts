import { isDeepStrictEqual } from 'node:util';
import type { AgentActivity } from '../../../protocol/agent-callbacks.js';
import type { Chat, ChatActivity } from './chat.js';

/**
 * What a chat says of its agent after its node has told this. Undefined for an earlier prompt's report that was held up: it
 * must not hide the present one.
 */
export function toldActivity(
  { activity: present }: Pick<Chat, 'activity'>,
  told: AgentActivity,
  now: Date,
): ChatActivity | undefined {
  const { activity, agentType = null, restartCount, statusError = null } = told;
  const promptStartedAt = activity === 'prompting' ? (told.promptStartedAt ?? null) : null;
  if (promptStartedAt !== null && promptStartedAt < (present?.promptStartedAt ?? 0)) return undefined;
  const activityAt = now.toISOString();
  return { activity, activityAt, promptStartedAt, agentType, restartCount, statusError };
}

/** It says nothing that is new to anybody, but that it is so still. */
export function isRepeat(told: ChatActivity, present: ChatActivity | null): boolean {
  return present !== null && isDeepStrictEqual({ ...told, activityAt: present.activityAt }, present);
}
