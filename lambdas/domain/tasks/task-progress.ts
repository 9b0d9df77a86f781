import type { Table } from '../../shared/table.js';
import { notWaiting, type Workspace } from '../workspaces/workspace.js';
import { advanceTask, changeTask, type TaskFields } from './change-task.js';
import { findTask } from './load-task.js';
import type { Task } from './task.js';
import { type ExecutionStep, isActive } from './task-status.js';

type TaskWorkspace = Pick<Workspace, 'workspaceId' | 'projectId' | 'taskId' | 'placementExplanation'>;

const admitted = { ...notWaiting, admissionState: 'admitted' } as const;

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
  const { placementExplanation } = workspace;
  const set: TaskFields = {
    ...(placementExplanation ? { placementExplanation } : {}),
    ...(task.admissionState === 'waiting' ? admitted : {}),
  };
  await advanceTask(table, { task, step, set, now });
}

type WaitingWorkspace = Pick<
  Workspace,
  'admissionReason' | 'admissionNextRetryAt' | 'admissionQueuePosition'
>;

/** Shows on a task that its workspace waits for a slot. At most three table calls. */
export async function reportTaskWaiting(
  table: Table,
  workspace: TaskWorkspace & WaitingWorkspace,
  now: Date,
): Promise<void> {
  const task = await taskOf(table, workspace);
  if (!task) return;
  const { admissionReason = null, admissionNextRetryAt = null, admissionQueuePosition = null } = workspace;
  const { placementExplanation = null } = workspace;
  const set: TaskFields = {
    ...{ admissionState: 'waiting', admissionReason, admissionNextRetryAt, admissionQueuePosition },
    placementExplanation,
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
