import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { TaskDependencyCycle, TaskDependencyLimit, TaskDependencyNotFound } from './errors.js';
import { findTask } from './find-task.js';
import type { Task } from './task.js';
import {
  dependenciesOf,
  edge,
  graphChange,
  maxDependenciesPerProject,
  maxDependenciesPerTask,
  readGraph,
  type TaskGraph,
  waitsFor,
} from './task-graph.js';

/** Each meets another change of the project's graph that came between. */
const attempts = 3;

export interface Dependency {
  readonly task: Task;
  readonly dependsOn: string;
  /** As it was read with the task. */
  readonly graph: TaskGraph;
}

/**
 * Makes a task wait for another one of its project. Two of them at once cannot close a circle: each writes only to the
 * graph in which it has looked for one. A repeat changes nothing. Two table calls, and two more for each other change
 * that came between.
 *
 * @throws {TaskDependencyNotFound | TaskDependencyCycle | TaskDependencyLimit}
 */
export async function addDependency(table: Table, { task, dependsOn, graph }: Dependency): Promise<void> {
  const { projectId, taskId } = task;
  await changeGraph(table, projectId, graph, async (present) => {
    // Looked for anew each time: a deletion changes the graph too, so that it cannot come between unseen.
    if (!(await findTask(table, projectId, dependsOn))) throw new TaskDependencyNotFound();
    const wanted = edge(taskId, dependsOn);
    if (present.edges.has(wanted)) return undefined;
    if (waitsFor(present, dependsOn, taskId)) throw new TaskDependencyCycle();
    const isFull = present.edges.size >= maxDependenciesPerProject;
    if (isFull || dependenciesOf(present, taskId).length >= maxDependenciesPerTask)
      throw new TaskDependencyLimit();
    return { add: { edges: new Set([wanted]) } };
  });
}

/** Repeatable. One table call, or none. */
export async function removeDependency(table: Table, { task, dependsOn, graph }: Dependency): Promise<void> {
  await changeGraph(table, task.projectId, graph, async (present) => {
    const gone = edge(task.taskId, dependsOn);
    return present.edges.has(gone) ? { takeOut: { edges: new Set([gone]) } } : undefined;
  });
}

async function changeGraph(
  table: Table,
  projectId: string,
  seen: TaskGraph,
  change: (graph: TaskGraph) => Promise<Parameters<typeof graphChange>[2] | undefined>,
): Promise<void> {
  let graph = seen;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const wanted = await change(graph);
    if (!wanted) return;
    const outcome = await changeItem(table, graphChange(projectId, graph, wanted));
    if (outcome.changed) return;
    graph = readGraph(outcome.item);
  }
  throw new Unavailable('Other dependencies of the project were changed at the same moment; try again');
}
