import type { Table } from '../../shared/table.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { advanceTask, moveTask } from './change-task.js';
import { WorkspaceNotMade } from './errors.js';
import type { Task } from './task.js';
import { bySystem } from './task-event.js';
import { loadRun, requireRun, type TaskRun } from './task-run.js';

export interface WorkspaceLook {
  readonly runs: boolean;
  /** How many files are to be put into it. */
  readonly attachments: number;
}

/**
 * Whether the workspace of an execution runs by now; then the task is delegated to it. The row says so, whatever has
 * become of who was to tell.
 *
 * @throws {WorkspaceNotMade} it will not come to run
 * @throws {TaskEnded}
 */
export async function lookAtWorkspace(table: Table, run: TaskRun, now: Date): Promise<WorkspaceLook> {
  const task = await loadRun(table, run);
  const workspace = task.workspaceId ? await findWorkspace(table, task.workspaceId) : undefined;
  if (!workspace) throw new WorkspaceNotMade(undefined);
  if (isUsable(workspace.status)) {
    const guard = (present: Task) => requireRun(present, run);
    const { task: moved } = await moveTask(table, { task, to: 'delegated', actor: bySystem, guard, now });
    await advanceTask(table, { task: moved, step: 'workspace_ready', guard, now });
    return { runs: true, attachments: task.attachments.length };
  }
  if (!['pending', 'provisioning', 'rebuilding'].includes(workspace.status))
    throw new WorkspaceNotMade(workspace);
  return { runs: false, attachments: 0 };
}
