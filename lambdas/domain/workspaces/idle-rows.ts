import type { Table } from '../../shared/table.js';
import { listRunningSessions } from '../agent-sessions/find-sessions.js';
import { Chat, chatKey } from '../chats/chat.js';
import { Project, projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { requireOwnWorkspace } from './find-workspace.js';
import { type IdleRows, isAwake } from './idle-rules.js';

/**
 * The same of a workspace of the caller.
 *
 * @throws {workspaceNotFound} there is none, it is deleted, or it is somebody else's
 */
export async function findOwnIdleRows(table: Table, workspaceId: string, userId: string): Promise<IdleRows> {
  const rows = await readIdleRows(table, workspaceId);
  const workspace = requireOwnWorkspace(rows?.workspace, userId);
  return { chats: [], ...rows, workspace };
}

/**
 * A workspace with its open chats and the setting of its project. One consistent table call, and
 * one more for a workspace that runs in a project.
 */
export async function readIdleRows(table: Table, workspaceId: string): Promise<IdleRows | undefined> {
  const { workspace, sessions } = await listRunningSessions(table, workspaceId);
  if (!workspace) return undefined;
  if (!isAwake(workspace)) return { workspace, chats: [] };
  const running = new Set(sessions.map(({ agentSessionId }) => agentSessionId));
  const chatKeys = sessions.flatMap(({ chatId }) => (chatId ? [chatKey(chatId)] : []));
  const project = workspace.projectId === null ? [] : [projectKey(workspace.projectId)];
  const keys = [...chatKeys, ...project];
  if (keys.length === 0) return { workspace, chats: [] };
  const find = await getItems(table, keys);
  const chats = chatKeys.flatMap((key) => (find(key) ? [Chat.parse(find(key))] : []));
  const settings = project.map((key) => find(key) && Project.parse(find(key)).settings)[0];
  return {
    workspace,
    chats: chats.filter(
      ({ status, agentSessionId }) =>
        status === 'active' && agentSessionId !== null && running.has(agentSessionId),
    ),
    idleTimeoutMs: settings?.workspaceIdleTimeoutMs,
  };
}
