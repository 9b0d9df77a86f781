import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { endSession } from '../agent-sessions/end-session.js';
import { endChat } from '../chats/change-chat.js';
import { Chat, chatKey } from '../chats/chat.js';
import { endings } from '../endings/endings.js';
import { Prompt, promptKey } from '../prompts/prompt.js';
import { makeDue } from '../prompts/queue.js';
import { getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { failStep } from '../sagas/saga-steps.js';
import type { Sagas } from '../sagas/sagas.js';
import { type StopDeps, stopWorkspace } from '../sagas/stop-workspace.js';
import { claimDeletion } from '../workspaces/claim-deletion.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { canMove } from '../workspaces/workspace-status.js';
import { changeTask } from './change-task.js';
import { type KeepDeps, keepChanges } from './keep-changes.js';
import type { TaskRun } from './load-task.js';
import { findTask } from './load-task.js';
import { mayRest, type Remains, restCompleted } from './rest-completed.js';
import type { Task } from './task.js';
import { isActive } from './task-status.js';

export interface EndRunDeps extends StopDeps {
  readonly sagas: Pick<Sagas, 'startStopWorkspace' | 'startDeleteWorkspace' | 'startSleepWorkspace'>;
  readonly newId: () => string;
  readonly kept: Pick<KeepDeps, 'keys' | 'objects' | 'log'>;
}

/** An agent that has completed its task gets this time for its last message. */
const lastWordsMs = 2 * 60_000;

/**
 * Keeps what an execution has changed, and cleans it up. The workspace of a completed task sleeps,
 * and a message to its chat wakes it. Otherwise its agent session ends, and the workspace is
 * stopped if an agent has worked in it, so that its files are kept, and deleted if not. Every part
 * can be repeated; the sagas of workspaces do the rest. Returns false while the agent still writes
 * its last message: try again.
 */
export async function endRun(parts: EndRunDeps, run: TaskRun): Promise<boolean> {
  const { table, now } = parts;
  const task = await findTask(table, run.projectId, run.taskId);
  if (!task || task.run !== run.run || isActive(task.status) || task.finalizedAt !== null) return true;
  const { remains, start } = await readRemains(table, task);
  if (stillSpeaks(remains, now)) return false;
  if (start) await makeDue(table, start, now);
  const { workspace } = remains;
  if (workspace) await keepChanges({ ...parts.kept, table, now }, task, workspace);
  if (workspace && mayRest(remains)) await restCompleted(parts, workspace);
  else if (!endedWithWorkspace(remains)) await endWork(parts, remains);
  await changeTask(table, { task, set: { finalizedAt: now.toISOString() }, now });
  return true;
}

async function endWork(parts: EndRunDeps, { task, session, workspace }: Remains): Promise<void> {
  const { table, now } = parts;
  if (session) await endSession(table, session, { now });
  // The chat may not be linked to the session yet.
  await endChat(table, task.taskId, now);
  if (workspace) await endWorkspace(parts, task, workspace);
}

/** One table call. */
async function readRemains(table: Table, task: Task) {
  const keys = keysOf(task);
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  const found = (key: Key | undefined) => key && find(key);
  const [chat, session] = [found(keys.chat), found(keys.session)];
  const [start, workspace] = [found(keys.start), found(keys.workspace)];
  const remains: Remains = {
    task,
    chat: chat && Chat.parse(chat),
    session: session && AgentSession.parse(session),
    workspace: workspace && Workspace.parse(workspace),
  };
  return { remains, start: start && Prompt.parse(start) };
}

/** A restart of the workspace continues its session, and may have done so by now. */
function endedWithWorkspace({ task: { startedAt, completedAt }, session }: Remains): boolean {
  const { status, suspendedAt, resumedAt = '' } = session ?? {};
  if (startedAt === null || completedAt === null || suspendedAt === undefined) return false;
  return suspendedAt <= completedAt && (status === 'suspended' || completedAt < resumedAt);
}

function keysOf({ taskId, workspaceId, agentSessionId, startDeliveryId }: Task) {
  return {
    chat: chatKey(taskId),
    start: startDeliveryId ? promptKey(taskId, startDeliveryId) : undefined,
    workspace: workspaceId ? workspaceKey(workspaceId) : undefined,
    session: workspaceId && agentSessionId ? agentSessionKey(workspaceId, agentSessionId) : undefined,
  };
}

function stillSpeaks({ task: { status, completedAt }, chat }: Remains, now: Date): boolean {
  if (status !== 'completed' || !completedAt || !chat) return false;
  if (now.getTime() - Date.parse(completedAt) > lastWordsMs) return false;
  return chat.activity?.activity === 'prompting';
}

const cause = 'The task of the workspace has ended';
const because = endings.executionEnded;

/** The sweep continues with a workspace whose saga was not started. */
async function endWorkspace(parts: EndRunDeps, task: Task, workspace: Workspace): Promise<void> {
  const { workspaceId, userId, status, deletion } = workspace;
  if (status === 'deleted' || deletion) return;
  if (task.startedAt === null) await deleteWorkspace(parts, workspace);
  else if (canMove(status, 'stop')) await stopWorkspace(parts, { workspaceId, userId, because, cause }, fail);
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
