import { type Unsettled, unsettledItem } from '../records/unsettled.js';
import type { Task } from './task.js';

/** Both ids, for a task is found through its project. */
const separator = '.';

/** Rings for the sweep as long as something still has to happen to a task. */
export const unsettledTask = ({ projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>, now: Date) =>
  unsettledItem({ kind: 'TASK', id: `${projectId}${separator}${taskId}`, mark: now.toISOString() });

export function taskOfUnsettled({ id }: Unsettled): { readonly projectId: string; readonly taskId: string } {
  const [projectId = '', taskId = ''] = id.split(separator);
  return { projectId, taskId };
}
