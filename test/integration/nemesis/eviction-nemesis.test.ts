import { describe, expect, it } from 'vitest';
import { builtAgent } from '../../../scripts/builds/built.js';
import {
  checkEvictions,
  type EvictionHistory,
  type EvictionRound,
  emptyEvictionHistory,
} from '../../nemesis/eviction/eviction-history.js';
import { runEvictionNemesis } from '../../nemesis/eviction/eviction-run.js';
import { hasDocker } from '../agent/docker-engine.js';

const round: EvictionRound = {
  number: 1,
  trigger: 'pressure',
  faults: [],
  outcome: 'evicted',
  isEqual: true,
  starts: 1,
  wasInterrupted: true,
  continuations: 1,
  repeats: 3,
  repeatChanged: false,
  isNodePending: false,
  milliseconds: 1,
  detail: '',
};

const rulesOf = (change: Partial<EvictionRound>, more: Partial<EvictionHistory> = {}) =>
  checkEvictions({ ...emptyEvictionHistory(), rounds: [{ ...round, ...change }], ...more }).map(
    ({ rule }) => rule,
  );

describe('the checker of evictions', () => {
  it('accepts an eviction that is restored, also without work that was interrupted', () => {
    expect([rulesOf({}), rulesOf({ wasInterrupted: false, continuations: 0 })]).toEqual([[], []]);
    expect(rulesOf({ outcome: 'uncaptured', isEqual: null, starts: 0, continuations: 0 })).toEqual([]);
  });

  it.each([
    ['work_lost', { isEqual: false }],
    ['started_not_once', { starts: 2 }],
    ['started_not_once', { starts: 0 }],
    ['continued_not_once', { continuations: 2 }],
    ['continued_not_once', { continuations: 0 }],
    ['continued_not_once', { wasInterrupted: false }],
    ['repeat_had_effect', { repeatChanged: true }],
    ['node_pending', { isNodePending: true }],
    ['stuck', { outcome: 'stuck' }],
  ] as const)('finds %s in %j', (rule, change) => {
    expect(rulesOf(change)).toEqual([rule]);
  });

  it('reports what was seen during the run', () => {
    const broken = [{ rule: 'stopped_without_snapshot', detail: '' }] as const;
    expect(rulesOf({}, { broken: [...broken] })).toEqual(['stopped_without_snapshot']);
  });
});

// It mounts a disk for each node.
it.skipIf(!hasDocker() || process.getuid?.() !== 0)(
  'evicts and restores real workspaces under faults (with a Docker engine and the base image, as root)',
  async () => {
    const bundle = await builtAgent();
    const { violations, counts } = await runEvictionNemesis({ evictions: 1, workspaces: 3, seed: 3, bundle });

    expect(violations).toEqual([]);
    expect(counts.evicted).toBeGreaterThan(0);
  },
  240_000,
);
