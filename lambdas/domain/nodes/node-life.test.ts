import { describe, expect, it } from 'vitest';
import { aNode } from '../../../test/support/records.js';
import type { Node } from './node.js';
import { defaultWarmMs, dueRule, isPastLifetime } from './node-life.js';

const now = new Date('2026-11-23T12:00:00.000Z');
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();

describe('a node without slots', () => {
  it.each<[string, string | undefined, Partial<Node>]>([
    ['stays warm for 30 minutes', undefined, { slotsChangedAt: ago(29.9) }],
    ['is removed then', 'warm', { slotsChangedAt: ago(30) }],
    ['is removed whatever heartbeats it sends', 'warm', { slotsChangedAt: ago(30), updatedAt: ago(0) }],
    [
      'is removed at once when it is older than 4 hours',
      'lifetime',
      { slotsChangedAt: ago(1), createdAt: ago(240) },
    ],
    [
      'is removed at once when it gets no further workspace',
      'retired',
      { slotsChangedAt: ago(0), retiredAt: ago(0) },
    ],
    ['stays while it is launched', undefined, { status: 'provisioning', slotsChangedAt: ago(44) }],
    [
      'is removed when no agent has reported in 45 minutes',
      'orphan',
      { status: 'provisioning', slotsChangedAt: ago(45) },
    ],
    ['is removed 45 minutes after an error', 'orphan', { status: 'errored', slotsChangedAt: ago(45) }],
  ])('%s', (_, reason, row) => {
    const node = aNode({ createdAt: ago(120), ...row }, now);

    expect(dueRule(node, defaultWarmMs, now)?.reason).toBe(reason);
  });

  it.each([
    [0, 'warm'],
    [2 * 3_600_000, undefined],
  ])('waits for the time of the project: %i ms', (warmMs, reason) => {
    const node = aNode({ createdAt: ago(120), slotsChangedAt: ago(31) }, now);

    expect(dueRule(node, warmMs, now)?.reason).toBe(reason);
  });
});

it('a node is past its lifetime after a day', () => {
  expect([1_439, 1_440].map((minutes) => isPastLifetime(aNode({ createdAt: ago(minutes) }), now))).toEqual([
    false,
    true,
  ]);
});
