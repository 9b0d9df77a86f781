import type { Key } from '../domain/records/changes.js';
import { TaskNotFound } from '../domain/tasks/errors.js';
import { Task, taskKey } from '../domain/tasks/task.js';
import type { ByCapability } from './capability-route.js';
import type { Contract } from './contract.js';
import { memberGate } from './member-gate.js';
import { pathId } from './path-id.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export type ByTask = ByCapability & { readonly task: Task };

/** Records beside the task that are read in the same table call. */
type Beside = (projectId: string, taskId: string) => readonly Key[];

/** A route about the task `{taskId}` of `{projectId}`, for members with the row's capability. One table call. */
export function taskRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByTask, Out>,
  beside: Beside = () => [],
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    async (event, call) => {
      const projectId = pathId(event, 'projectId');
      const taskId = pathId(event, 'taskId');
      const key = taskKey(projectId, taskId);
      const member = await gate(event, call, [key, ...beside(projectId, taskId)]);
      const found = member.find(key);
      if (!found) throw new TaskNotFound();
      return { ...member, task: Task.parse(found) };
    },
    handle,
  );
}
