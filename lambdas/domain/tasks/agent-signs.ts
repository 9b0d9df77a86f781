import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { Chat, chatKey } from '../chats/chat.js';
import { AgentHeartbeat, agentHeartbeatKey } from '../nodes/agent-heartbeat.js';
import { getItems } from '../records/batch-items.js';
import type { Task } from './task.js';

/** Nodes tell every minute that agents are there, and every two that one works. */
const freshMs = 5 * 60_000;

/** What is known of the agent of a task. */
export interface AgentSigns {
  readonly chat: Chat | undefined;
  readonly session: AgentSession | undefined;
  /** When its node told last of what it does, or that agents of the project live there. */
  readonly heardAt: string | undefined;
}

/** One table call. */
export async function readAgentSigns(
  table: Table,
  { taskId, projectId, workspaceId, agentSessionId }: Task,
  nodeId: string,
): Promise<AgentSigns> {
  const chatAt = chatKey(taskId);
  const beatAt = agentHeartbeatKey(nodeId, projectId);
  const sessionAt = workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined;
  const find = await getItems(table, [chatAt, beatAt, ...(sessionAt ? [sessionAt] : [])]);
  const [chatItem, beat, sessionItem] = [find(chatAt), find(beatAt), sessionAt && find(sessionAt)];
  const chat = chatItem && Chat.parse(chatItem);
  const heard = [chat?.activity?.activityAt, beat && AgentHeartbeat.parse(beat).receivedAt];
  return {
    chat,
    session: sessionItem && AgentSession.parse(sessionItem),
    heardAt: heard
      .filter((at) => at !== undefined)
      .toSorted()
      .at(-1),
  };
}

/** The task's own session runs, and its node was heard of it lately. */
export function provesLife({ chat, session, heardAt }: AgentSigns, now: Date): boolean {
  if (session?.status !== 'running' || chat?.activity?.activity === 'error') return false;
  return heardAt !== undefined && !isSilentSince(heardAt, now);
}

export const isSilentSince = (heardAt: string, now: Date): boolean =>
  now.getTime() - Date.parse(heardAt) > freshMs;
