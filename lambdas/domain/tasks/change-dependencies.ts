import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Key } from '../records/changes.js';
import { transact } from '../records/transact.js';
import { TaskDependencyCycle, TaskDependencyLimit, TaskDependencyNotFound } from './errors.js';
import { type Task, taskKey } from './task.js';
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
 * graph in which it has looked for one. A repeat changes nothing. One table call, and one more for each other change that
 * came between.
 *
 * @throws {TaskDependencyNotFound | TaskDependencyCycle | TaskDependencyLimit}
 */
export async function addDependency(table: Table, { task, dependsOn, graph }: Dependency): Promise<void> {
  const { projectId, taskId } = task;
  const other = taskKey(projectId, dependsOn);
  await changeGraph(table, { projectId, graph, other }, (present) => {
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
  await changeGraph(table, { projectId: task.projectId, graph }, (present) => {
    const gone = edge(task.taskId, dependsOn);
    return present.edges.has(gone) ? { takeOut: { edges: new Set([gone]) } } : undefined;
  });
}

interface GraphOf {
  readonly projectId: string;
  /** As it was read. */
  readonly graph: TaskGraph;
  /** A task that must be there. */
  readonly other?: Key;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
async function changeGraph(
  table: Table,
  { projectId, graph: seen, other }: GraphOf,
  change: (graph: TaskGraph) => Parameters<typeof graphChange>[2] | undefined,
): Promise<void> {
  let graph = seen;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const wanted = change(graph);
    if (!wanted) return;
    const outcome = await transact(table, [
      { update: graphChange(projectId, graph, wanted) },
      ...(other ? [{ check: other, when: { exists: true } }] : []),
    ]);
    if (outcome.committed) return;
    if (outcome.refusals[1]?.failed) throw new TaskDependencyNotFound();
    graph = readGraph(outcome.refusals[0]?.item);
  }
  throw new Unavailable('Other dependencies of the project were changed at the same moment; try again');
}
