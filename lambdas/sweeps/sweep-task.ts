import { findNode } from '../domain/nodes/find-node.js';
import { nodeHealth } from '../domain/nodes/node-status.js';
import { sagaNames, startSaga } from '../domain/sagas/start-saga.js';
import { type AgentSigns, provesLife, readAgentSigns } from '../domain/tasks/agent-signs.js';
import { findTask } from '../domain/tasks/find-task.js';
import { finishTask, needsEnd, startEndOfRun } from '../domain/tasks/finish-task.js';
import { noteSilence } from '../domain/tasks/note-silence.js';
import type { Task } from '../domain/tasks/task.js';
import { bySystem } from '../domain/tasks/task-event.js';
import { isActive } from '../domain/tasks/task-status.js';
import { findWorkspace } from '../domain/workspaces/find-workspace.js';
import type { Workspace } from '../domain/workspaces/workspace.js';
import { isResting } from '../domain/workspaces/workspace-status.js';
import { isOlder, type Sweep } from './sweep.js';

const minute = 60_000;
const neverStartedMs = 2 * minute;
/** The saga notices by itself what has become of the workspace that it makes; this is when it must have. */
const mismatchMs = 5 * minute;
/** Longer than the waits of the saga: 2 h for room, 15 min for the node, 30 min for the workspace, and their undo. */
const startingMs = 4 * 60 * minute;
/** Whatever its agent still does. */
const ceilingMs = 24 * 60 * minute;
const standardExecutionMs = 4 * 60 * minute;
/** A saga that puts things away tries for hours; then another one does. */
const endingMs = 3 * 60 * minute;

/** Goes on with one task where a crash left it, and ends one whose time is over; true when it has come to rest. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
export async function sweepTask(
  sweep: Sweep,
  { projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>,
): Promise<boolean> {
  const task = await findTask(sweep.table, projectId, taskId);
  if (!task) return true;
  if (!isActive(task.status)) {
    if (!needsEnd(task)) return true;
    await goOnEnding(sweep, task);
    return false;
  }
  const workspace = task.workspaceId ? await findWorkspace(sweep.table, task.workspaceId) : undefined;
  const signs = await signsOf(sweep, task, workspace);
  const failure = (await overdue(sweep, task, signs)) ?? lost(sweep, task, workspace);
  if (failure) await fail(sweep, task, failure);
  else if (task.status !== 'in_progress') await goOnStarting(sweep, task);
  else if (signs) await noteSilence(sweep.table, signs, sweep.now);
  return false;
}

async function goOnEnding(sweep: Sweep, task: Task): Promise<void> {
  const since = task.completedAt ?? task.updatedAt;
  if (!isOlder(sweep, since, neverStartedMs)) return;
  const attempt = Math.floor((sweep.now.getTime() - Date.parse(since)) / endingMs);
  await startEndOfRun({ ...sweep, endRunArn: sweep.arns['end-run'] }, task, attempt);
}

async function goOnStarting(sweep: Sweep, { projectId, taskId, run, updatedAt }: Task): Promise<void> {
  if (!isOlder(sweep, updatedAt, neverStartedMs)) return;
  await startSaga(sweep.stepFunctions, {
    stateMachineArn: sweep.arns['run-task'],
    name: sagaNames.runTask(taskId, run),
    input: { projectId, taskId, run },
  });
}

/** What its workspace has become without it. */
function lost(sweep: Sweep, task: Task, workspace: Workspace | undefined): string | undefined {
  if (!workspace || !isResting(workspace.status) || !isOlder(sweep, workspace.statusChangedAt, mismatchMs))
    return undefined;
  const what = workspace.errorMessage ?? `Its workspace is ${workspace.status}.`;
  return `${what} What the agent had pushed is on the branch ${task.outputBranch}. Run the task again to go on.`;
}

/** Why its time is over, if it is. */
async function overdue(
  sweep: Sweep,
  task: Task,
  signs: PlacedSigns | undefined,
): Promise<string | undefined> {
  const { startedAt, updatedAt, launch } = task;
  if (startedAt === null) {
    return isOlder(sweep, updatedAt, startingMs)
      ? 'The execution did not come to an end of its beginning. Run the task again.'
      : undefined;
  }
  if (isOlder(sweep, startedAt, ceilingMs))
    return 'The task has worked for a day, which is the most there may be.';
  const limitMs = launch?.taskExecutionTimeoutMs.value ?? standardExecutionMs;
  if (!isOlder(sweep, startedAt, limitMs) || (await isAlive(sweep, signs))) return undefined;
  return `The task has had ${Math.round(limitMs / minute)} minutes, and nothing shows that its agent still works.`;
}

/** What is known of its agent, with the node that told it. */
interface PlacedSigns extends AgentSigns {
  readonly nodeId: string;
}

/** Only what is the task's own counts: its workspace, that one's node, its agent session. */
async function signsOf(
  { table }: Sweep,
  task: Task,
  workspace: Workspace | undefined,
): Promise<PlacedSigns | undefined> {
  if (task.status !== 'in_progress' || !workspace?.nodeId || isResting(workspace.status)) return undefined;
  const { nodeId } = workspace;
  return { ...(await readAgentSigns(table, task, nodeId)), nodeId };
}

async function isAlive({ table, now }: Sweep, signs: PlacedSigns | undefined): Promise<boolean> {
  if (!signs || !provesLife(signs, now)) return false;
  const node = await findNode(table, signs.nodeId);
  return node !== undefined && nodeHealth(node.lastHeartbeatAt, now) === 'healthy';
}

async function fail(sweep: Sweep, task: Task, errorMessage: string): Promise<void> {
  sweep.log.warn('Task failed by the sweep', { taskId: task.taskId, errorMessage });
  await finishTask(
    { ...sweep, endRunArn: sweep.arns['end-run'] },
    { task, to: 'failed', set: { errorMessage }, reason: errorMessage, actor: bySystem, now: sweep.now },
  );
}
