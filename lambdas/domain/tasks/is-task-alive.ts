import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { Chat, chatKey } from '../chats/chat.js';
import type { Key } from '../records/changes.js';
import type { Find } from '../records/get-items.js';
import type { Task } from './task.js';

/** Nodes tell every minute what an agent does. */
const freshMs = 5 * 60_000;

/** Records by which it is judged whether the agent of a task still works. */
export const livenessKeys = ({ taskId, workspaceId, agentSessionId }: Task): readonly Key[] => [
  chatKey(taskId),
  ...(workspaceId && agentSessionId ? [agentSessionKey(workspaceId, agentSessionId)] : []),
];

/** The task's own session runs, and its node has told of it lately. */
export function hasLiveSession(task: Task, find: Find, now: Date): boolean {
  const [chatAt, sessionAt] = livenessKeys(task);
  const [chat, session] = [chatAt && find(chatAt), sessionAt && find(sessionAt)];
  if (!chat || !session || AgentSession.parse(session).status !== 'running') return false;
  const { activity } = Chat.parse(chat);
  return activity !== null && now.getTime() - Date.parse(activity.activityAt) <= freshMs;
}
