import type { Table } from '../../shared/table.js';
import type { Chat, ChatActivity } from '../chats/chat.js';
import { getItems } from '../records/batch-items.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { advanceTask, changeTask, type TaskFields } from './change-task.js';
import { TaskNotFound, TaskNotInState } from './errors.js';
import { type FinishDeps, finishTask } from './finish-task.js';
import { Task, taskKey } from './task.js';
import { type Actor, bySystem } from './task-events.js';
import { type ExecutionStep, isActive } from './task-status.js';

interface StatusReporter {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly projectId: string;
  readonly taskId: string;
}

interface StatusReport {
  readonly toStatus?: 'in_progress' | 'completed' | 'failed' | undefined;
  readonly executionStep?: ExecutionStep | undefined;
  readonly reason?: string | undefined;
  readonly outputs: Pick<TaskFields, 'outputSummary' | 'outputBranch' | 'outputPrUrl' | 'errorMessage'>;
  readonly now: Date;
}

/**
 * Applies a status report of the node that runs the task's workspace. Only the workspace of the
 * present execution is accepted, and only while the execution is active; a completed task accepts
 * branch and pull request. A repeat changes nothing.
 * At most three table calls.
 *
 * @throws {TaskNotFound} the workspace is not that of the task
 * @throws {TaskNotInState | workspaceNotFound | StaleGeneration}
 */
export async function receiveStatus(
  deps: FinishDeps,
  reporter: StatusReporter,
  report: StatusReport,
): Promise<Task> {
  const task = await loadReportedTask(deps.table, reporter);
  if (task.status === report.toStatus) return task;
  if (task.status === 'completed' && !report.toStatus) return addOutputs(deps.table, task, report);
  if (!isActive(task.status)) throw new TaskNotInState(task.status, 'Its execution has ended.');
  const { toStatus: to, reason, outputs: set, now } = report;
  if (to === 'completed' || to === 'failed') {
    const actor: Actor = { actorType: 'node', actorId: reporter.nodeId };
    return (await finishTask(deps, { task, to, set, actor, reason, now })).task;
  }
  // Only the execution moves a task to in_progress, when it has started the agent.
  if (to) throw new TaskNotInState(task.status, `Only its execution makes it ${to}.`);
  return applyProgress(deps, task, report);
}

async function applyProgress(deps: FinishDeps, task: Task, report: StatusReport): Promise<Task> {
  const { executionStep: step, outputs: set, now } = report;
  const advanced = step ? await advanceTask(deps.table, { task, step, set, now }) : { changed: false, task };
  if (advanced.changed || hasOutputs(advanced.task, set)) return advanced.task;
  return (await changeTask(deps.table, { task: advanced.task, set, now })).task;
}

const outputNames = ['outputSummary', 'outputBranch', 'outputPrUrl', 'errorMessage'] as const;

const hasOutputs = (task: Task, outputs: StatusReport['outputs']): boolean =>
  outputNames.every((name) => outputs[name] === undefined || outputs[name] === task[name]);

/**
 * An agent completes its task within a turn; its work is pushed at the end of that turn. A later
 * message continues it.
 */
async function addOutputs(table: Table, task: Task, { outputs, now }: StatusReport): Promise<Task> {
  const { outputBranch = task.outputBranch, outputPrUrl = task.outputPrUrl } = outputs;
  if (outputBranch === task.outputBranch && outputPrUrl === task.outputPrUrl) return task;
  return (await changeTask(table, { task, set: { outputBranch, outputPrUrl }, now })).task;
}

async function loadReportedTask(table: Table, reporter: StatusReporter): Promise<Task> {
  const { workspaceId, projectId, taskId } = reporter;
  const keys = { workspace: workspaceKey(workspaceId), task: taskKey(projectId, taskId) };
  const find = await getItems(table, Object.values(keys));
  const [workspace, found] = [find(keys.workspace), find(keys.task)];
  requireGeneration(workspace && Workspace.parse(workspace), reporter);
  const task = found && Task.parse(found);
  if (task?.workspaceId !== workspaceId) throw new TaskNotFound();
  return task;
}

interface ActivityReport {
  readonly task: Task;
  /** The chat after the report. */
  readonly chat: Pick<Chat, 'activity' | 'queuedPrompts'>;
  readonly now: Date;
}

/**
 * Applies the reported activity of an agent to its task. An agent that ended its turn waits for a
 * person, unless a prompt is queued; `errorMessage` says why a turn failed. An agent that could not
 * be started, or not started again, fails its task; a conversation waits for a person instead. One
 * table call, or none.
 */
export async function receiveActivity(deps: FinishDeps, { task, chat, now }: ActivityReport): Promise<void> {
  const { activity, queuedPrompts } = chat;
  if (!activity || !isActive(task.status)) return;
  if (activity.activity === 'error' && task.taskMode === 'task')
    await failTask(deps, task, { activity, now });
  else if (hasStoppedWorking(activity) && queuedPrompts === 0 && task.status === 'in_progress')
    await waitForPerson(deps, task, { activity, now });
}

const hasStoppedWorking = ({ activity }: ChatActivity): boolean =>
  activity === 'idle' || activity === 'error';

interface Activity {
  readonly activity: ChatActivity;
  readonly now: Date;
}

async function failTask(deps: FinishDeps, task: Task, { activity, now }: Activity): Promise<void> {
  const cause = (activity.statusError ?? 'The agent has ended').replace(/\.?$/, '.');
  const errorMessage = `${cause} Fix the cause, then run the task again. Pushed commits are on the branch ${task.outputBranch}.`;
  const guard = ({ run, status }: Task) => {
    if (run !== task.run) throw new TaskNotInState(status, 'The report is about an earlier execution.');
  };
  const ending = { task, to: 'failed', set: { errorMessage }, reason: errorMessage, guard } as const;
  await finishTask(deps, { ...ending, actor: bySystem, now }).catch((error: unknown) => {
    // The first end stays.
    if (!(error instanceof TaskNotInState)) throw error;
  });
}

async function waitForPerson(
  { table }: FinishDeps,
  seen: Task,
  { activity: { statusError: errorMessage }, now }: Activity,
): Promise<void> {
  const step = 'awaiting_followup';
  const { changed, task } = await advanceTask(table, { task: seen, step, set: { errorMessage }, now });
  if (!changed && task.errorMessage !== errorMessage)
    await changeTask(table, { task, set: { errorMessage }, now });
}
