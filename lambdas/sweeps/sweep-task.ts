import { findNode } from '../domain/nodes/find-node.js';
import { nodeHealth } from '../domain/nodes/node-status.js';
import {
  type AgentLiveness,
  isAgentAlive,
  markAgentSilent,
  readAgentLiveness,
} from '../domain/tasks/agent-liveness.js';
import { endActiveTask, finishTask, needsEnd } from '../domain/tasks/finish-task.js';
import { findTask } from '../domain/tasks/load-task.js';
import type { Task } from '../domain/tasks/task.js';
import { bySystem } from '../domain/tasks/task-events.js';
import { hasBegun, isActive } from '../domain/tasks/task-status.js';
import { endTaskWithWorkspace } from '../domain/tasks/workspace-loss.js';
import { findWorkspace } from '../domain/workspaces/find-workspace.js';
import { isAsleep, type Workspace } from '../domain/workspaces/workspace.js';
import { hasOnlySnapshot, isResting, isUsable } from '../domain/workspaces/workspace-status.js';
import { isOlder, type Sweep } from './sweep.js';

const minute = 60_000;
const neverStartedMs = 2 * minute;
/** Within this time the saga itself notices that its workspace will not run. */
const mismatchMs = 5 * minute;
/**
 * Longer than the saga's timeouts: 2 h for capacity, 15 min for the node, 30 min for the workspace,
 * and the undo.
 */
const startingMs = 4 * 60 * minute;
/** A task ends after this time even while its agent works. */
const ceilingMs = 24 * 60 * minute;
const standardExecutionMs = 4 * 60 * minute;
/** The saga end-run retries for hours; after this time the sweep starts another attempt. */
const endingMs = 3 * 60 * minute;

/** Continues or ends one task. True when it has reached a final state. */
export async function sweepTask(
  sweep: Sweep,
  { projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>,
): Promise<boolean> {
  const task = await findTask(sweep.table, projectId, taskId);
  if (!task) return true;
  if (isActive(task.status)) {
    await sweepActive(sweep, task);
    return false;
  }
  if (!needsEnd(task)) return true;
  await goOnEnding(sweep, task);
  return false;
}

async function sweepActive(sweep: Sweep, task: Task): Promise<void> {
  const workspace = task.workspaceId ? await findWorkspace(sweep.table, task.workspaceId) : undefined;
  // A conversation waits for the message that wakes its workspace; the snapshot ends after 7 days.
  if (workspace && waitsForMessage(task, workspace)) return;
  await sweepAwake(sweep, task, workspace);
}

/** A workspace that runs by now was woken since the task was read. */
const waitsForMessage = ({ taskMode, status }: Task, workspace: Workspace): boolean =>
  isAsleep(workspace) ? taskMode === 'conversation' : status === 'sleeping' && isUsable(workspace.status);

async function sweepAwake(sweep: Sweep, task: Task, workspace: Workspace | undefined): Promise<void> {
  const signs = await signsOf(sweep, task, workspace);
  const failure = await overdue(sweep, task, signs);
  if (failure) await fail(sweep, task, failure);
  else if (workspace && isLost(sweep, workspace)) await endTaskWithWorkspace(sweep, task, workspace);
  else if (isQuiet(sweep, task, signs)) await completeQuiet(sweep, task);
  else if (!hasBegun(task.status)) await goOnStarting(sweep, task);
  else if (signs) await markAgentSilent(sweep.table, signs, sweep.now);
}

async function goOnEnding(sweep: Sweep, task: Task): Promise<void> {
  const since = task.completedAt ?? task.updatedAt;
  if (!isOlder(sweep, since, neverStartedMs)) return;
  const attempt = Math.floor((sweep.now.getTime() - Date.parse(since)) / endingMs);
  await sweep.sagas.startEndRun({ ...task, attempt });
}

async function goOnStarting(sweep: Sweep, task: Task): Promise<void> {
  if (!isOlder(sweep, task.updatedAt, neverStartedMs)) return;
  await sweep.sagas.startRunTask(task);
}

const isLost = (sweep: Sweep, { status, statusChangedAt }: Workspace): boolean =>
  isResting(status) && !hasOnlySnapshot(status) && isOlder(sweep, statusChangedAt, mismatchMs);

/** A conversation has no execution limit while its person and its agent write. */
function isQuiet(sweep: Sweep, { taskMode, startedAt }: Task, signs: PlacedSigns | undefined): boolean {
  const { lastMessageAt, restore } = signs?.chat ?? {};
  const since = lastMessageAt ?? startedAt;
  if (taskMode !== 'conversation' || since === null) return false;
  // A person may have woken it to use a terminal.
  return isOlder(sweep, since, ceilingMs) && (!restore || isOlder(sweep, restore.at, ceilingMs));
}

async function completeQuiet(sweep: Sweep, task: Task): Promise<void> {
  const message = 'No message for 24 hours (limit 24 hours).';
  const ending = { to: 'failed', completesConversation: true, message, actor: bySystem } as const;
  await endActiveTask(sweep, task, { ...ending, now: sweep.now });
}

/** Why the task fails because of a time limit. */
async function overdue(
  sweep: Sweep,
  task: Task,
  signs: PlacedSigns | undefined,
): Promise<string | undefined> {
  const { startedAt, updatedAt, launch } = task;
  if (startedAt === null) {
    return isOlder(sweep, updatedAt, startingMs)
      ? 'The execution did not start the agent within 4 hours (limit 4 hours). Run the task again.'
      : undefined;
  }
  if (task.taskMode === 'task' && isOlder(sweep, startedAt, ceilingMs))
    return 'The task was in progress for 24 hours (limit 24 hours). Run it again to continue.';
  const limitMs = launch?.taskExecutionTimeoutMs.value ?? standardExecutionMs;
  if (!isOlder(sweep, startedAt, limitMs) || (await isAlive(sweep, signs))) return undefined;
  return `The task was in progress for ${Math.round(limitMs / minute)} minutes (its limit), and its agent no longer works. Run it again to continue.`;
}

/** The liveness of its agent, and the node that reports it. */
interface PlacedSigns extends AgentLiveness {
  readonly nodeId: string;
}

/** Only of the task's own workspace, node and agent session. */
async function signsOf(
  { table }: Sweep,
  task: Task,
  workspace: Workspace | undefined,
): Promise<PlacedSigns | undefined> {
  if (task.status !== 'in_progress' || !workspace?.nodeId || isResting(workspace.status)) return undefined;
  const { nodeId } = workspace;
  return { ...(await readAgentLiveness(table, task, nodeId)), nodeId };
}

async function isAlive(sweep: Sweep, signs: PlacedSigns | undefined): Promise<boolean> {
  if (signs && isJustAwake(sweep, signs)) return true;
  const { table, now } = sweep;
  if (!signs || !isAgentAlive(signs, now)) return false;
  const node = await findNode(table, signs.nodeId);
  return node !== undefined && nodeHealth(node.lastHeartbeatAt, now) === 'healthy';
}

/** Its node may not have reported since the wake. */
const isJustAwake = (sweep: Sweep, { chat }: PlacedSigns): boolean =>
  chat?.restore !== undefined && !isOlder(sweep, chat.restore.at, mismatchMs);

async function fail(sweep: Sweep, task: Task, errorMessage: string): Promise<void> {
  sweep.log.warn('Task failed by the sweep', { taskId: task.taskId, errorMessage });
  const ending = { task, to: 'failed', set: { errorMessage }, reason: errorMessage } as const;
  await finishTask(sweep, { ...ending, actor: bySystem, now: sweep.now });
}
