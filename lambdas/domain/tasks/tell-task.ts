import type { Table } from '../../shared/table.js';
import type { Workspace } from '../workspaces/workspace.js';
import { advanceTask, changeTask, type TaskFields } from './change-task.js';
import { findTask } from './find-task.js';
import type { Task } from './task.js';
import { type ExecutionStep, isActive } from './task-status.js';

type TaskWorkspace = Pick<Workspace, 'workspaceId' | 'projectId' | 'taskId'>;

/**
 * Tells the task that a workspace is made for how far it has come. Nothing where it is for none, or its execution is over.
 * Two table calls, or none.
 */
export async function tellTask(
  table: Table,
  workspace: TaskWorkspace,
  { step, now }: { readonly step: ExecutionStep; readonly now: Date },
): Promise<void> {
  const task = await taskOf(table, workspace);
  if (!task) return;
  const set = task.admissionState === 'waiting' ? admitted : {};
  await advanceTask(table, { task, step, set, now });
}

const admitted = { admissionState: 'admitted', admissionReason: null, admissionNextRetryAt: null } as const;

/** The same of a task that has to wait for room on a node. */
export async function tellTaskToWait(
  table: Table,
  workspace: TaskWorkspace,
  { reason, nextRetryAt, now }: { readonly reason: string; readonly nextRetryAt: Date; readonly now: Date },
): Promise<void> {
  const task = await taskOf(table, workspace);
  if (!task) return;
  const set: TaskFields = {
    admissionState: 'waiting',
    admissionReason: reason,
    admissionNextRetryAt: nextRetryAt.toISOString(),
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
