import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { beginSession } from '../agent-sessions/begin-session.js';
import { issueMcpToken } from '../mcp-tokens/issue-mcp-token.js';
import { canUseTools, mcpServersFor } from '../mcp-tokens/mcp-servers.js';
import { createSessionOnNode } from '../node-client/agent-session-calls.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { findNodeAddress } from '../node-client/node-address.js';
import { linkChat } from '../prompts/start-chat.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { advanceTask, changeTask } from './change-task.js';
import { WorkspaceNotMade } from './errors.js';
import type { Task } from './task.js';
import { loadRun, requireRun, type TaskRun } from './task-run.js';

export interface AgentParts {
  readonly keys: SigningKeys;
  /** Where its tools are. */
  readonly publicUrl: string;
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Makes the agent session of an execution, on its node and in the table, and says so in the chat. Repeatable: it is the
 * same session each time, whose agent has the token that the node was told first.
 *
 * @throws {TaskEnded | WorkspaceNotMade | NodeUnreachable | NodeRefused}
 */
export async function startTaskAgent(table: Table, run: TaskRun, parts: AgentParts): Promise<void> {
  const { now, newId } = parts;
  const loaded = await loadRun(table, run);
  const guard = (task: Task) => requireRun(task, run);
  const { task } = await advanceTask(table, { task: loaded, step: 'agent_session', guard, now });
  const named = task.agentSessionId
    ? task
    : (await changeTask(table, { task, set: { agentSessionId: newId() }, guard, now })).task;
  const workspace = named.workspaceId ? await findWorkspace(table, named.workspaceId) : undefined;
  if (!workspace || !isUsable(workspace.status)) throw new WorkspaceNotMade(workspace);
  const session = sessionOf(named, workspace, now);
  await tellNode(table, { task: named, workspace, session, parts });
  await beginSession(table, session, { now, chat: 'present' });
  const { agentSessionId, workspaceId } = session;
  await linkChat(table, { chatId: named.taskId, workspaceId, agentSessionId }, now);
}

function sessionOf(task: Task, { workspaceId, generation }: Workspace, now: Date): AgentSession {
  const { projectId, userId, taskId, launch, title, agentSessionId } = task;
  return {
    agentSessionId: String(agentSessionId),
    workspaceId,
    generation,
    userId,
    projectId,
    chatId: taskId,
    status: 'running',
    label: title,
    agentType: launch?.agentType.value ?? null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    stoppedAt: null,
  };
}

interface Telling {
  readonly task: Task;
  readonly workspace: Workspace;
  readonly session: AgentSession;
  readonly parts: AgentParts;
}

async function tellNode(table: Table, { task, workspace, session, parts }: Telling): Promise<void> {
  const { keys, now } = parts;
  const { projectId, taskId, title } = task;
  const address = await findNodeAddress(table, workspace.nodeId);
  await createSessionOnNode({ keys, address, now, timeoutMs: nodeTimeouts.handOver }, session, {
    label: title,
    projectId,
    chatSessionId: taskId,
    ...(canUseTools(session.agentType) ? { mcpServers: await toolsOf(table, { task, session, parts }) } : {}),
  });
}

/** A token of its own for each attempt: only the one that the node was told first is ever used. */
async function toolsOf(
  table: Table,
  { task, session, parts: { publicUrl, now } }: Omit<Telling, 'workspace'>,
) {
  const { projectId, userId, taskId, taskMode } = task;
  const { workspaceId, generation, agentSessionId } = session;
  const secret = await issueMcpToken(
    table,
    { projectId, userId, workspaceId, generation, chatSessionId: taskId, agentSessionId, taskId, taskMode },
    now,
  );
  return mcpServersFor(publicUrl, secret);
}
