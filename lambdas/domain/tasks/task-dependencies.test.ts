import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dependenciesOf, edge, edgesAt, readGraph, waitsFor } from './task-dependencies.js';

const graphOf = (...edges: readonly (readonly [string, string])[]) =>
  readGraph({ edges: new Set(edges.map(([from, to]) => edge(from, to))), version: 1 });

it('finds direct and indirect dependencies of a task', () => {
  const graph = graphOf(['A', 'B'], ['B', 'C'], ['B', 'D']);

  expect(dependenciesOf(graph, 'A')).toEqual(['B']);
  expect(waitsFor(graph, 'A', 'D')).toBe(true);
  expect(waitsFor(graph, 'D', 'A')).toBe(false);
  expect(waitsFor(graph, 'A', 'A')).toBe(true);
});

it('terminates on a cyclic graph', () => {
  expect(waitsFor(graphOf(['A', 'B'], ['B', 'A']), 'A', 'C')).toBe(false);
});

it('finds every edge of a deleted task', () => {
  expect(edgesAt(graphOf(['A', 'B'], ['B', 'C'], ['C', 'D']), 'B')).toEqual(new Set(['A>B', 'B>C']));
});

it('reads a missing graph as empty', () => {
  expect(dependenciesOf(readGraph(undefined), 'A')).toEqual([]);
});

it('stays acyclic when each new edge is checked for a path back', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name), { maxLength: 40 }), (asked) => {
      let graph = graphOf();
      for (const [from, to] of asked) {
        if (waitsFor(graph, to, from)) continue;
        graph = readGraph({ edges: new Set([...graph.edges, edge(from, to)]), version: 1 });
      }
      for (const task of ['A', 'B', 'C', 'D', 'E', 'F']) {
        for (const other of dependenciesOf(graph, task)) expect(waitsFor(graph, other, task)).toBe(false);
      }
    }),
  );
});
