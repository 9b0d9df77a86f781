import { expect, it } from 'vitest';
import { type TaskNode, treeBelow } from './task-tree.js';

const task = (id: string, parentTaskId: string | null) => ({ id, parentTaskId });
const names = (nodes: readonly TaskNode<ReturnType<typeof task>>[]): unknown[] =>
  nodes.map(({ task: { id }, children }) => [id, ...names(children)]);

it('shows subtasks below their parents, oldest first', () => {
  const tasks = [task('d', 'b'), task('c', 'a'), task('b', 'a'), task('a', null), task('x', null)];
  expect(names(treeBelow('a', tasks))).toEqual([['b', ['d']], ['c']]);
});

it('ends where parents form a circle', () => {
  expect(names(treeBelow('a', [task('a', 'b'), task('b', 'a')]))).toEqual([['b']]);
});
