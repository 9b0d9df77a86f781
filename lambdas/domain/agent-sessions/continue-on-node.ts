import type { McpServer, AgentSession as NodeAgentSession } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { interactionSettings } from '../interactions/interaction-settings.js';
import { canUseTools, mcpServersFor } from '../mcp-tokens/mcp-servers.js';
import { issueMcpToken } from '../mcp-tokens/mcp-token.js';
import { createSessionOnNode } from '../node-client/agent-session-calls.js';
import type { NodeAccess } from '../node-client/node-access.js';
import { findTask } from '../tasks/load-task.js';
import type { Task } from '../tasks/task.js';
import { hasEnded } from '../tasks/task-status.js';
import type { AgentSession } from './agent-session.js';

export interface ContinueDeps {
  readonly access: NodeAccess;
  /** The address of the MCP server. */
  readonly publicUrl: string;
  readonly now: Date;
}

interface Continued {
  /** As the node has it: a node with the files of the workspace still has its conversation. */
  readonly onNode: NodeAgentSession;
  readonly mcpServers: McpServer[];
}

/**
 * Creates an agent session on the node of the next generation of its workspace, with a new token
 * for tools. Repeatable.
 *
 * @throws {NodeRefused | NodeUnreachable}
 */
export async function continueOnNode(
  table: Table,
  session: AgentSession,
  deps: ContinueDeps,
): Promise<Continued> {
  const task = await openTaskOf(table, session);
  const mcpServers = await serversOf(table, { session, task }, deps);
  const acpInteractions = interactionSettings(task?.taskMode ?? 'conversation');
  const body = { ...namesOf(session), mcpServers, acpInteractions };
  const onNode = await createSessionOnNode(deps.access, session, body);
  return { onNode, mcpServers };
}

const namesOf = ({ label, projectId, chatId }: AgentSession) => ({
  ...(label ? { label } : {}),
  ...(projectId && chatId ? { projectId, chatSessionId: chatId } : {}),
});

/**
 * A task has the id of its chat. The token of a task ends with it, and the conversation continues.
 */
async function openTaskOf(table: Table, { projectId, chatId }: AgentSession): Promise<Task | undefined> {
  if (!projectId || !chatId) return undefined;
  const task = await findTask(table, projectId, chatId);
  return task && !hasEnded(task.status) ? task : undefined;
}

interface Continuing {
  readonly session: AgentSession;
  readonly task: Task | undefined;
}

/** A token belongs to one generation: earlier ones have ended. */
async function serversOf(
  table: Table,
  { session, task }: Continuing,
  { publicUrl, now }: ContinueDeps,
): Promise<McpServer[]> {
  const { projectId, userId, workspaceId, generation, chatId, agentSessionId, agentType } = session;
  if (!projectId || !chatId || !canUseTools(agentType)) return [];
  const ofTask = { taskId: task?.taskId ?? null, taskMode: task?.taskMode ?? null };
  const ids = { projectId, userId, workspaceId, generation, chatSessionId: chatId, agentSessionId };
  return mcpServersFor(publicUrl, await issueMcpToken(table, { ...ids, ...ofTask }, now));
}
