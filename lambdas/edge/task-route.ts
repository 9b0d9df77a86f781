import type { Key } from '../domain/records/changes.js';
import { TaskNotFound } from '../domain/tasks/errors.js';
import { Task, taskKey } from '../domain/tasks/task.js';
import type { ByCapability } from './capability-route.js';
import { recordRoute } from './capability-route.js';
import type { Contract } from './contract.js';
import { pathId } from './parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from './route.js';

type ByTask = ByCapability & { readonly task: Task };

/** Records beside the task that are read in the same table call. */
type Beside = (projectId: string, taskId: string) => readonly Key[];

/**
 * A route about the task `{taskId}` of `{projectId}`, for members with the row's capability. One
 * table call.
 */
export function taskRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByTask, Out>,
  beside: Beside = () => [],
): HttpHandler {
  return recordRoute(
    contract,
    {
      keys: (event) => {
        const projectId = pathId(event, 'projectId');
        const taskId = pathId(event, 'taskId');
        return [taskKey(projectId, taskId), ...beside(projectId, taskId)];
      },
      read: (found) => {
        if (!found) throw new TaskNotFound();
        return { task: Task.parse(found) };
      },
    },
    handle,
  );
}
