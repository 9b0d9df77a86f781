import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { changeChat } from '../chats/change-chat.js';
import { Chat, chatKey } from '../chats/chat.js';
import { AgentHeartbeat, agentHeartbeatKey } from '../nodes/agent-heartbeat.js';
import { getItems } from '../records/batch-items.js';
import type { Task } from './task.js';

/** Nodes report every minute that agents run on them, and every two minutes that one works. */
const reportTimeoutMs = 5 * 60_000;

const silenceMessage =
  'No report from the agent or its node for 5 minutes. The state is updated with the next report.';

/** The records that show whether the agent of a task is alive. */
export interface AgentLiveness {
  readonly chat: Chat | undefined;
  readonly session: AgentSession | undefined;
  /** The last report of its activity, or the last heartbeat of its node for the project. */
  readonly lastReportAt: string | undefined;
}

/** One table call. */
export async function readAgentLiveness(
  table: Table,
  { taskId, projectId, workspaceId, agentSessionId }: Task,
  nodeId: string,
): Promise<AgentLiveness> {
  const keys = { chat: chatKey(taskId), heartbeat: agentHeartbeatKey(nodeId, projectId) };
  const session = workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined;
  const find = await getItems(table, [...Object.values(keys), ...(session ? [session] : [])]);
  const [chatItem, heartbeat] = [find(keys.chat), find(keys.heartbeat)];
  const sessionItem = session && find(session);
  const chat = chatItem && Chat.parse(chatItem);
  const reports = [chat?.activity?.activityAt, heartbeat && AgentHeartbeat.parse(heartbeat).receivedAt];
  return {
    chat,
    session: sessionItem && AgentSession.parse(sessionItem),
    lastReportAt: reports
      .filter((at) => at !== undefined)
      .toSorted()
      .at(-1),
  };
}

/** The agent session runs and has not failed, and a report is recent. */
export function isAgentAlive({ chat, session, lastReportAt }: AgentLiveness, now: Date): boolean {
  if (session?.status !== 'running' || chat?.activity?.activity === 'error') return false;
  return lastReportAt !== undefined && !isSilentSince(lastReportAt, now);
}

const isSilentSince = (lastReportAt: string, now: Date): boolean =>
  now.getTime() - Date.parse(lastReportAt) > reportTimeoutMs;

/**
 * Shows a working agent that has stopped reporting as `error` in its chat. The next report of its
 * node, which comes every two minutes, shows its activity again. One table call, or none.
 */
export async function markAgentSilent(
  table: Table,
  { chat, lastReportAt }: AgentLiveness,
  now: Date,
): Promise<void> {
  if (!chat?.activity || lastReportAt === undefined || !isSilentSince(lastReportAt, now)) return;
  const { chatId, activity, version, updatedAt } = chat;
  if (activity.activity !== 'prompting' && activity.activity !== 'recovering') return;
  await changeChat(table, chatId, {
    set: {
      activity: {
        ...activity,
        activity: 'error',
        activityAt: now.toISOString(),
        since: now.toISOString(),
        promptStartedAt: null,
        statusError: silenceMessage,
      },
    },
    // A report since the read shows that the agent works.
    when: { equals: { version, updatedAt } },
    now,
  });
}
