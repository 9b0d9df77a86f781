import type { FileOutcome } from './outcome.js';
import { coresBusy, type Moment, type Span } from './read-spans.js';

/** In the order in which `.ci/run` has them; others come after them. */
const order = [
  ...['install', 'base image', 'check', 'build', 'unit', 'busy-table', 'integration', 'clouds', 'e2e'],
  ...['e2e-alone', 'second try', 'DynamoDB Local'],
];

export interface RingRow {
  readonly ring: string;
  /** From its first file's start to its last file's end; rings can overlap. */
  readonly wallSeconds: number;
  /** Imports, hooks and shared set-ups, of all files: with several workers more than the wall. */
  readonly setUpSeconds: number;
  readonly testSeconds: number;
  readonly files: number;
  readonly tests: number;
  readonly coresBusy: number;
}

/** One row a ring, of what ran in it. */
export function ringRows(spans: readonly Span[], files: readonly FileOutcome[]): readonly RingRow[] {
  const rings = new Set([...spans, ...files].map(({ ring }) => ring));
  return [...rings]
    .toSorted((a, b) => rank(a) - rank(b))
    .map((ring) =>
      rowOf(
        ring,
        spans.filter((span) => span.ring === ring),
        files.filter((file) => file.ring === ring),
      ),
    );
}

function rank(ring: string): number {
  const index = order.indexOf(ring);
  return index === -1 ? order.length : index;
}

function rowOf(ring: string, spans: readonly Span[], files: readonly FileOutcome[]): RingRow {
  const stretches = [...spans, ...files];
  const from = edge(stretches, (a, b) => a.from.at - b.from.at)?.from;
  const to = edge(stretches, (a, b) => b.to.at - a.to.at)?.to;
  const setUps = spans.filter(({ part }) => part === 'set-up');
  return {
    ring,
    wallSeconds: from && to ? seconds(to.at - from.at) : 0,
    setUpSeconds: seconds(
      sum(setUps.map((span) => span.to.at - span.from.at)) + sum(files.map(({ setUpMs }) => setUpMs)),
    ),
    testSeconds: seconds(sum(files.map(({ testsMs }) => testsMs))),
    files: files.length,
    tests: sum(files.map(({ passed, skipped, failures }) => passed + skipped + failures.length)),
    coresBusy: from && to ? Math.round(coresBusy(from, to) * 10) / 10 : 0,
  };
}

interface Stretch {
  readonly from: Moment;
  readonly to: Moment;
}

const edge = (stretches: readonly Stretch[], compare: (a: Stretch, b: Stretch) => number) =>
  stretches.toSorted(compare)[0];
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const seconds = (ms: number): number => Math.round(ms / 100) / 10;
