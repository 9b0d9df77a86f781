import { expect, it } from 'vitest';
import { ResourceHistoryAnswer, ResourceRollup, ResourceTimeline } from './resource-history-reads.js';

const pending = {
  sessionId: 's1',
  runs: [],
  chunks: [],
  totalChunkCount: 0,
  omittedChunkCount: 0,
  maxChunks: 1_000,
  collection: 'pending',
  runtime: null,
};

it('describes a chat without history', () => {
  expect(ResourceHistoryAnswer.parse({ summary: null, chunks: [] })).toEqual({ summary: null, chunks: [] });
  expect(ResourceTimeline.parse(pending)).toEqual(pending);
  expect(ResourceTimeline.safeParse({ ...pending, collection: 'missing' }).success).toBe(false);
});

const columns = ['start', 'end', 'samples', 'toolCallStarts', 'cpuMeanCores', 'cpuMaxCores'];
const figures = ['memoryMeanBytes', 'memoryMaxBytes', 'workingSetMeanBytes', 'workingSetMaxBytes'];
const totals = ['ioReadBytes', 'ioWriteBytes', 'oomKills'];

it.each([
  [60, true],
  [61, false],
])('checks a rollup of %i buckets', (buckets, valid) => {
  const column = Array.from({ length: buckets }, () => 1);
  const all = Object.fromEntries([...columns, ...figures, ...totals].map((name) => [name, column]));
  expect(ResourceRollup.safeParse({ v: 1, bucketMs: 60_000, ...all }).success).toBe(valid);
});
