import type { Task } from './task-state.js';

type InTree = Pick<Task, 'id' | 'parentTaskId'>;

export interface TaskNode<Each extends InTree = Task> {
  readonly task: Each;
  readonly children: readonly TaskNode<Each>[];
}

/** The tasks below a task, oldest first. A task is shown once, whatever its parents say. */
export function treeBelow<Each extends InTree>(
  taskId: string,
  tasks: readonly Each[],
  seen: ReadonlySet<string> = new Set(),
): readonly TaskNode<Each>[] {
  const above = new Set([...seen, taskId]);
  return tasks
    .filter((task) => task.parentTaskId === taskId && !above.has(task.id))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map((task) => ({ task, children: treeBelow(task.id, tasks, above) }));
}
