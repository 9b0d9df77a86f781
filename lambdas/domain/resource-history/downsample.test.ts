import { expect, it } from 'vitest';
import type { ResourceSample } from '../../../protocol/resource-history.js';
import { downsample } from './downsample.js';

const day = Array.from(
  { length: 4_096 },
  (_, index): ResourceSample => ({ t: index, intervalMillis: 5_000, cpuMillis: 10, memoryBytes: 1_000 }),
);
const withAt = (index: number, figures: Partial<ResourceSample>) =>
  day.map((sample) => (sample.t === index ? { ...sample, ...figures } : sample));

it('keeps samples up to the limit as they are', () => {
  expect(downsample(day.slice(0, 720))).toEqual(day.slice(0, 720));
});

it('keeps the first and the last of at most 720, in order', () => {
  const kept = downsample(day);

  expect(kept).toHaveLength(720);
  expect([kept[0]?.t, kept.at(-1)?.t]).toEqual([0, 4_095]);
  expect(kept.map(({ t }) => t)).toEqual(kept.map(({ t }) => t).toSorted((a, b) => a - b));
});

it.each<[string, Partial<ResourceSample>]>([
  ['CPU time', { cpuMillis: 20_000 }],
  ['memory', { memoryBytes: 8 * 2 ** 30 }],
  ['output', { ioWriteBytes: 2 ** 30 }],
  ['a gap', { gap: true }],
  ['a killed process', { oomKill: 1 }],
])('keeps a spike of %s wherever it is', (_, figures) => {
  for (const index of [1, 2_000, 2_001, 2_002, 2_003, 2_004, 4_094])
    expect(downsample(withAt(index, figures)).map(({ t }) => t)).toContain(index);
});
