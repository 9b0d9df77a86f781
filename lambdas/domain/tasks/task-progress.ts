import type { Table } from '../../shared/table.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { type NodeLimitReached, NoRoomYet } from '../workspaces/errors.js';
import { findWorkspace, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { advanceTask, changeTask, type TaskFields } from './change-task.js';
import { findTask } from './load-task.js';
import type { Task } from './task.js';
import { type ExecutionStep, isActive } from './task-status.js';

type TaskWorkspace = Pick<Workspace, 'workspaceId' | 'projectId' | 'taskId'>;

const admitted = { admissionState: 'admitted', admissionReason: null, admissionNextRetryAt: null } as const;

/** The saga's step is repeated at about these intervals. */
const retryMs = 60_000;
const longestWaitMs = 2 * 60 * 60_000;

/**
 * Advances the execution step of the task that a workspace is created for. Changes nothing when
 * there is no task, or its execution has ended. Two table calls, or none.
 */
export async function reportTaskProgress(
  table: Table,
  workspace: TaskWorkspace,
  { step, now }: { readonly step: ExecutionStep; readonly now: Date },
): Promise<void> {
  const task = await taskOf(table, workspace);
  if (!task) return;
  const set = task.admissionState === 'waiting' ? admitted : {};
  await advanceTask(table, { task, step, set, now });
}

/**
 * Lets the workspace of a task wait for capacity on its owner's nodes; a workspace without a task
 * fails at once. Returns the error with which its placement fails: `NoRoomYet` to try again, or
 * `full`.
 */
export async function waitForCapacity(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  { full, now }: { readonly full: NodeLimitReached; readonly now: Date },
): Promise<Error> {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.taskId || now.getTime() - Date.parse(workspace.createdAt) > longestWaitMs) return full;
  // Otherwise the sweep takes the wait for a saga that has died.
  await changeWorkspace(table, {
    workspaceId,
    set: { statusChangedAt: now.toISOString() },
    when: { equals: { generation, status: 'pending' } },
    now,
  });
  await reportTaskWaiting(table, workspace, { reason: full.message, now });
  return new NoRoomYet();
}

async function reportTaskWaiting(
  table: Table,
  workspace: TaskWorkspace,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> {
  const task = await taskOf(table, workspace);
  if (!task) return;
  const set: TaskFields = {
    admissionState: 'waiting',
    admissionReason: reason,
    admissionNextRetryAt: new Date(now.getTime() + retryMs).toISOString(),
  };
  const step = 'waiting_for_node_capacity';
  const advanced = await advanceTask(table, { task, step, set, now });
  if (!advanced.changed) await changeTask(table, { task: advanced.task, set, now });
}

async function taskOf(
  table: Table,
  { workspaceId, projectId, taskId }: TaskWorkspace,
): Promise<Task | undefined> {
  if (!taskId || !projectId) return undefined;
  const task = await findTask(table, projectId, taskId);
  return task?.workspaceId === workspaceId && isActive(task.status) ? task : undefined;
}
