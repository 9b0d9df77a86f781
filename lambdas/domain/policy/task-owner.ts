import type { Task } from '../tasks/task.js';
import { type Allowed, allow, type Person, requireCapability } from './allow.js';

/**
 * Allows this on a task. A task that was never run is a draft that the project shares: every member may change it, and the
 * person who runs it first becomes its creator. From then on an agent works on it with that person's credentials.
 *
 * @throws {CapabilityMissing | NotCreator}
 */
export function allowOnTask<A extends 'task.change' | 'task.run'>(
  action: A,
  person: Person,
  task: Task,
): Allowed<A, Task> {
  if (task.run > 0) return allow(action, person, task);
  requireCapability(action, person);
  return task as Allowed<A, Task>;
}
