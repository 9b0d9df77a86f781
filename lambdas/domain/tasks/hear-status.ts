import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { advanceTask, changeTask, type TaskFields } from './change-task.js';
import { TaskNotFound, TaskNotInState } from './errors.js';
import { type FinishParts, finishTask } from './finish-task.js';
import { Task, taskKey } from './task.js';
import type { Actor } from './task-event.js';
import { type ExecutionStep, isActive } from './task-status.js';

export interface StatusTeller {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly projectId: string;
  readonly taskId: string;
}

export interface ToldStatus {
  readonly toStatus?: 'in_progress' | 'completed' | 'failed' | undefined;
  readonly executionStep?: ExecutionStep | undefined;
  readonly reason?: string | undefined;
  readonly outputs: Pick<TaskFields, 'outputSummary' | 'outputBranch' | 'outputPrUrl' | 'errorMessage'>;
  readonly now: Date;
}

/**
 * What the node of a task's workspace tells of it. Only the workspace of the present execution is heard, and only while
 * that is under way; what is so already stays. At most three table calls.
 *
 * @throws {TaskNotFound} the workspace is not that of the task
 * @throws {TaskNotInState | WorkspaceNotFound | StaleGeneration}
 */
export async function hearStatus(parts: FinishParts, teller: StatusTeller, told: ToldStatus): Promise<Task> {
  const task = await loadTold(parts.table, teller);
  if (task.status === told.toStatus) return task;
  if (!isActive(task.status)) throw new TaskNotInState(task.status, 'its execution is over');
  const { toStatus: to, executionStep: step, reason, outputs: set, now } = told;
  if (to === 'completed' || to === 'failed') {
    const actor: Actor = { actorType: 'node', actorId: teller.nodeId };
    return (await finishTask(parts, { task, to, set, actor, reason, now })).task;
  }
  // In progress is what it becomes when its agent was begun, which the execution itself sees to.
  if (to) throw new TaskNotInState(task.status, `it becomes ${to} by its execution`);
  const advanced = step ? await advanceTask(parts.table, { task, step, set, now }) : { changed: false, task };
  if (advanced.changed || Object.values(set).every((value) => value === undefined)) return advanced.task;
  return (await changeTask(parts.table, { task: advanced.task, set, now })).task;
}

async function loadTold(table: Table, teller: StatusTeller): Promise<Task> {
  const { workspaceId, projectId, taskId } = teller;
  const keys = { workspace: workspaceKey(workspaceId), task: taskKey(projectId, taskId) };
  const find = await getItems(table, Object.values(keys));
  const [workspace, found] = [find(keys.workspace), find(keys.task)];
  requireGeneration(workspace && Workspace.parse(workspace), teller);
  const task = found && Task.parse(found);
  if (task?.workspaceId !== workspaceId) throw new TaskNotFound();
  return task;
}
