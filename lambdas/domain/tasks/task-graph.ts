import * as z from 'zod/mini';
import type { Change } from '../records/changes.js';

export const maxDependenciesPerTask = 50;
/** Keeps the item that holds them a quarter of what an item may be. */
export const maxDependenciesPerProject = 2_000;

/**
 * Which tasks of a project wait for which others: one item, so that whoever adds a dependency does so to the very graph
 * in which they have found no cycle.
 */
const TaskGraph = z.object({
  /** `<task>><the one it waits for>`; a set that becomes empty is no longer on the item. */
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

/** What a task waits for, and not what that waits for in turn. */
export const dependenciesOf = (graph: TaskGraph, taskId: string): readonly string[] =>
  pairs(graph)
    .filter(([from]) => from === taskId)
    .map(([, to]) => to)
    .toSorted();

/** What waits for a task itself. */
export const dependentsOf = (graph: TaskGraph, taskId: string): readonly string[] =>
  pairs(graph)
    .filter(([, to]) => to === taskId)
    .map(([from]) => from)
    .toSorted();

/** Every edge that ends or begins at a task. */
export const edgesAt = (graph: TaskGraph, taskId: string): ReadonlySet<string> =>
  new Set([...graph.edges].filter((text) => text.split('>').includes(taskId)));

/** Whether `from` waits for `to`, be it through others. */
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

/** A change of just the graph that was read. */
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
