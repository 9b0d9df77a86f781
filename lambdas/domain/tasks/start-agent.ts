import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { beginSession } from '../agent-sessions/begin-session.js';
import { interactionSettings } from '../interactions/interaction-settings.js';
import { canUseTools, mcpServersFor } from '../mcp-tokens/mcp-servers.js';
import { issueMcpToken } from '../mcp-tokens/mcp-token.js';
import { createSessionOnNode } from '../node-client/agent-session-calls.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { findNodeAddress } from '../node-client/node-address.js';
import type { StartSettings } from '../node-client/prompt-calls.js';
import { attemptDelivery } from '../prompts/delivery-attempt.js';
import { linkChat } from '../prompts/start-chat.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { advanceTask, changeTask, moveTask } from './change-task.js';
import { FirstPromptNotDelivered, TaskNotFound, WorkspaceNotMade } from './errors.js';
import { instructionsOf } from './instructions.js';
import { loadRun, requireRun, type TaskRun } from './load-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-events.js';
import { hasBegun } from './task-status.js';

interface StartAgentDeps {
  readonly keys: SigningKeys;
  /** The address of the MCP server. */
  readonly publicUrl: string;
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Creates the agent session of an execution on its node and in the table, and links the chat to it.
 * A repeat returns the same session, whose agent has the last token that the node received.
 *
 * @throws {TaskEnded | WorkspaceNotMade | NodeUnreachable | NodeRefused}
 */
export async function createTaskAgentSession(
  table: Table,
  run: TaskRun,
  deps: StartAgentDeps,
): Promise<void> {
  const { now, newId } = deps;
  const loaded = await loadRun(table, run);
  const guard = (task: Task) => requireRun(task, run);
  const { task } = await advanceTask(table, { task: loaded, step: 'agent_session', guard, now });
  const named = task.agentSessionId
    ? task
    : (await changeTask(table, { task, set: { agentSessionId: newId() }, guard, now })).task;
  const workspace = named.workspaceId ? await findWorkspace(table, named.workspaceId) : undefined;
  if (!workspace || !isUsable(workspace.status)) throw new WorkspaceNotMade(workspace);
  const session = sessionOf(named, workspace, now);
  await createOnNode(table, { task: named, workspace, session, deps });
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

interface AgentStart {
  readonly task: Task;
  readonly workspace: Workspace;
  readonly session: AgentSession;
  readonly deps: StartAgentDeps;
}

async function createOnNode(table: Table, { task, workspace, session, deps }: AgentStart): Promise<void> {
  const { keys, now } = deps;
  const { projectId, taskId, title } = task;
  const address = await findNodeAddress(table, workspace.nodeId);
  await createSessionOnNode({ keys, address, now, timeoutMs: nodeTimeouts.handOver }, session, {
    label: title,
    projectId,
    chatSessionId: taskId,
    acpInteractions: interactionSettings(task.taskMode),
    ...(canUseTools(session.agentType) ? { mcpServers: await toolsOf(table, { task, session, deps }) } : {}),
  });
}

/** Each attempt issues a token. The node uses the last one that it received. */
async function toolsOf(
  table: Table,
  { task, session, deps: { publicUrl, now } }: Omit<AgentStart, 'workspace'>,
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

export interface FirstPromptDeps {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly newId: () => string;
}

/** The delay before the next attempt when the delivery gives none. */
const standardDelayMs = 2000;

/**
 * One attempt to deliver the first message to the agent of an execution; then the task is in
 * progress. Returns the seconds until the next attempt, or null.
 *
 * @throws {TaskEnded}
 * @throws {FirstPromptNotDelivered} delivery failed, or its result is unknown
 */
export async function deliverFirstPrompt(
  table: Table,
  run: TaskRun,
  deps: FirstPromptDeps,
): Promise<{ readonly retryAfter: number | null }> {
  const task = await loadRun(table, run);
  if (hasBegun(task.status)) return { retryAfter: null };
  const { taskId: chatId, startDeliveryId: deliveryId } = task;
  if (!deliveryId) throw new TaskNotFound();
  const start = startOf(task);
  const delivery = await attemptDelivery(
    table,
    { ...deps, ...(start ? { start } : {}) },
    { chatId, deliveryId },
  );
  const { now } = deps;
  if (delivery.outcome === 'retry') {
    const ms = delivery.at ? delivery.at.getTime() - now.getTime() : standardDelayMs;
    return { retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
  }
  if (delivery.outcome !== 'delivered') throw new FirstPromptNotDelivered(delivery.outcome, delivery.reason);
  const guard = (present: Task) => requireRun(present, run);
  const set = { startedAt: now.toISOString() };
  const moved = await moveTask(table, { task, to: 'in_progress', actor: bySystem, set, guard, now });
  await advanceTask(table, { task: moved.task, step: 'running', guard, now });
  return { retryAfter: null };
}

function startOf(task: Task): StartSettings | undefined {
  const { launch, projectId, taskId, taskMode } = task;
  if (!launch) return undefined;
  const { agentType, model, effort, permissionMode, opencodeProvider, opencodeBaseUrl } = launch;
  return {
    agentType: agentType.value,
    permissionMode: permissionMode.value,
    ...(model.value === null ? {} : { model: model.value }),
    ...(effort.value === null ? {} : { effort: effort.value }),
    ...(opencodeProvider.value === null ? {} : { opencodeProvider: opencodeProvider.value }),
    ...(opencodeBaseUrl.value === null ? {} : { opencodeBaseUrl: opencodeBaseUrl.value }),
    injectedInstructions: instructionsOf(task, launch),
    projectId,
    taskId,
    taskMode,
  };
}
