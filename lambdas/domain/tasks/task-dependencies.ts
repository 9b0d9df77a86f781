import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import type { Change, Key } from '../records/changes.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { taskDependencyCycle, taskDependencyLimit, taskDependencyNotFound } from './errors.js';
import { type Task, taskKey } from './task.js';

export const maxDependenciesPerTask = 50;

/** Their item is then a quarter of the largest that DynamoDB stores. */
export const maxDependenciesPerProject = 2_000;

/** The dependencies of all tasks of a project: one item with a version. */
const TaskGraph = z.object({
  /** `<task>><dependency>`. DynamoDB removes a set that becomes empty. */
  edges: z._default(z.set(z.string()), () => new Set<string>()),
  version: z.int(),
});

export type TaskGraph = z.infer<typeof TaskGraph>;

export const taskGraphKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'TASKGRAPH' });

export const readGraph = (item: Readonly<Record<string, unknown>> | undefined): TaskGraph =>
  TaskGraph.parse(item ?? { version: 0 });

export const edge = (taskId: string, dependsOn: string): string => `${taskId}>${dependsOn}`;

const pairs = ({ edges }: TaskGraph): readonly (readonly [string, string])[] =>
  [...edges].map((text) => {
    const [from = '', to = ''] = text.split('>');
    return [from, to];
  });

/** The direct dependencies of a task. */
export const dependenciesOf = (graph: TaskGraph, taskId: string): readonly string[] =>
  pairs(graph)
    .filter(([from]) => from === taskId)
    .map(([, to]) => to)
    .toSorted();

/** The tasks that wait for a task directly. */
export const dependentsOf = (graph: TaskGraph, taskId: string): readonly string[] =>
  pairs(graph)
    .filter(([, to]) => to === taskId)
    .map(([from]) => from)
    .toSorted();

/** Every edge from or to a task. */
export const edgesAt = (graph: TaskGraph, taskId: string): ReadonlySet<string> =>
  new Set([...graph.edges].filter((text) => text.split('>').includes(taskId)));

/** Whether `from` waits for `to`, directly or through other tasks. */
export function waitsFor(graph: TaskGraph, from: string, to: string): boolean {
  const next = new Map<string, string[]>();
  for (const [task, other] of pairs(graph)) next.set(task, [...(next.get(task) ?? []), other]);
  const seen = new Set<string>();
  const ahead = [from];
  for (let task = ahead.pop(); task !== undefined; task = ahead.pop()) {
    if (task === to) return true;
    if (seen.has(task)) continue;
    seen.add(task);
    ahead.push(...(next.get(task) ?? []));
  }
  return false;
}

/** A change of just this version of the graph. */
export const graphChange = (
  projectId: string,
  { version }: TaskGraph,
  change: Pick<Change, 'add' | 'takeOut'>,
): Change => ({
  key: taskGraphKey(projectId),
  set: { entity: 'task-graph', schemaVersion: 1, projectId },
  ...change,
  add: { ...change.add, version: 1 },
  when: version === 0 ? { exists: false } : { equals: { version } },
});

const retries = {
  attempts: 3,
  message: 'Other dependencies of the project changed at the same time. Try again.',
};

interface Dependency {
  readonly task: Task;
  readonly dependsOn: string;
  /** As it was read with the task. */
  readonly graph: TaskGraph;
}

/**
 * Makes a task wait for another one of its project. Each write is conditioned on the version of the
 * graph in which it found no cycle, so that two concurrent ones cannot close a cycle. A repeat
 * changes nothing. One table call, and one more for each concurrent change.
 *
 * @throws {taskDependencyNotFound | taskDependencyCycle | taskDependencyLimit}
 */
export async function addDependency(table: Table, { task, dependsOn, graph }: Dependency): Promise<void> {
  const { projectId, taskId } = task;
  const other = taskKey(projectId, dependsOn);
  await changeGraph(table, { projectId, graph, other }, (present) => {
    const wanted = edge(taskId, dependsOn);
    if (present.edges.has(wanted)) return undefined;
    if (waitsFor(present, dependsOn, taskId)) throw taskDependencyCycle();
    const isFull = present.edges.size >= maxDependenciesPerProject;
    if (isFull || dependenciesOf(present, taskId).length >= maxDependenciesPerTask)
      throw taskDependencyLimit();
    return { add: { edges: new Set([wanted]) } };
  });
}

/** A repeat changes nothing. One table call, or none. */
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
  /** A task that must exist. */
  readonly other?: Key;
}

async function changeGraph(
  table: Table,
  { projectId, graph: seen, other }: GraphOf,
  change: (graph: TaskGraph) => Parameters<typeof graphChange>[2] | undefined,
): Promise<void> {
  await retryOnConflict<TaskGraph, void>(seen, retries, async (graph) => {
    const wanted = change(graph);
    if (!wanted) return { result: undefined };
    const outcome = await transact(table, [
      { update: graphChange(projectId, graph, wanted) },
      ...(other ? [{ check: other, when: { exists: true } }] : []),
    ]);
    if (outcome.committed) return { result: undefined };
    if (outcome.refusals[1]?.failed) throw taskDependencyNotFound();
    return { met: readGraph(outcome.refusals[0]?.item) };
  });
}
