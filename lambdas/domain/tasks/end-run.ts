import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { endSession } from '../agent-sessions/end-session.js';
import { endChat } from '../chats/change-chat.js';
import { Chat, chatKey } from '../chats/chat.js';
import { Prompt, promptKey } from '../prompts/prompt.js';
import { makeDue } from '../prompts/queue.js';
import { type Find, getItems } from '../records/batch-items.js';
import { failStep } from '../sagas/saga-steps.js';
import type { Sagas } from '../sagas/sagas.js';
import { type StopDeps, stopWorkspace } from '../sagas/stop-workspace.js';
import { claimDeletion } from '../workspaces/claim-deletion.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { canMove } from '../workspaces/workspace-status.js';
import { changeTask } from './change-task.js';
import type { TaskRun } from './load-task.js';
import { findTask } from './load-task.js';
import type { Task } from './task.js';
import { isActive } from './task-status.js';

export interface EndRunDeps extends StopDeps {
  readonly sagas: Pick<Sagas, 'startStopWorkspace' | 'startDeleteWorkspace'>;
}

/** An agent that has completed its task gets this time for its last message. */
const lastWordsMs = 2 * 60_000;

/**
 * Cleans up an execution: ends its agent session, stops the workspace if an agent has worked in it,
 * so that its files are kept, and deletes it otherwise. Every part can be repeated; the sagas of
 * workspaces do the rest. Returns false while the agent still writes its last message: try again.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each record of the run may be missing, and they end in this order
export async function endRun(parts: EndRunDeps, run: TaskRun): Promise<boolean> {
  const { table, now } = parts;
  const task = await findTask(table, run.projectId, run.taskId);
  if (!task || task.run !== run.run || isActive(task.status) || task.finalizedAt !== null) return true;
  const keys = keysOf(task);
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  if (stillSpeaks(task, find, now)) return false;
  const session = keys.session && find(keys.session);
  if (session) await endSession(table, AgentSession.parse(session), { now });
  // The chat may not be linked to the session yet.
  await endChat(table, task.taskId, now);
  const start = keys.start && find(keys.start);
  if (start) await makeDue(table, Prompt.parse(start), now);
  const workspace = keys.workspace && find(keys.workspace);
  if (workspace) await endWorkspace(parts, task, Workspace.parse(workspace));
  await changeTask(table, { task, set: { finalizedAt: now.toISOString() }, now });
  return true;
}

function keysOf({ taskId, workspaceId, agentSessionId, startDeliveryId }: Task) {
  return {
    chat: chatKey(taskId),
    start: startDeliveryId ? promptKey(taskId, startDeliveryId) : undefined,
    workspace: workspaceId ? workspaceKey(workspaceId) : undefined,
    session: workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined,
  };
}

function stillSpeaks({ status, completedAt, taskId }: Task, find: Find, now: Date): boolean {
  const chat = find(chatKey(taskId));
  if (status !== 'completed' || !completedAt || !chat) return false;
  if (now.getTime() - Date.parse(completedAt) > lastWordsMs) return false;
  return Chat.parse(chat).activity?.activity === 'prompting';
}

const cause = 'The task of the workspace has ended';

/** The sweep continues with a workspace whose saga was not started. */
async function endWorkspace(parts: EndRunDeps, task: Task, workspace: Workspace): Promise<void> {
  const { workspaceId, userId, status, deletion } = workspace;
  if (status === 'deleted' || deletion) return;
  if (task.startedAt === null) await deleteWorkspace(parts, workspace);
  else if (canMove(status, 'stop')) await stopWorkspace(parts, { workspaceId, userId, cause }, fail);
}

/** The saga end-run retries. */
function fail(error: unknown): never {
  throw error;
}

async function deleteWorkspace(parts: EndRunDeps, workspace: Workspace): Promise<void> {
  const { table, stepFunctions, sagas, now } = parts;
  const claim = await claimDeletion(table, workspace, now);
  if (claim.outcome === 'already_deleted') return;
  const { workspaceId, generation, taskToken } = claim.before;
  // Otherwise the provisioning step waits until its timeout.
  if (taskToken) await failStep(stepFunctions, taskToken, { error: 'WorkspaceStopped', cause });
  await sagas.startDeleteWorkspace({ workspaceId, generation, attempt: claim.attempt });
}
