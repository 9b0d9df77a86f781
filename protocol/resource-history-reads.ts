import * as z from 'zod/mini';
import {
  ResourceCompleteness,
  ResourceGap,
  ResourceSample,
  ResourceSummary,
  ResourceToolSpan,
  resourceHistoryFormat,
  resourceRuntimes,
} from './resource-history.js';

/** Answers of the five reads of resource history. Times are milliseconds since 1970. */

const Count = z.int().check(z.gte(0));
const Id = z.nullable(z.string());
const Figure = z.nullable(z.number());
const Runtime = z.nullable(z.enum(resourceRuntimes));

const counts = {
  startedAt: Count,
  endedAt: Count,
  sampleCount: Count,
  gapCount: Count,
  toolSpanCount: Count,
};

/** All chunks of a chat, a task or a workspace together. */
export const ResourceHistorySummary = z.object({
  id: z.string(),
  projectId: z.string(),
  workspaceId: z.string(),
  sessionId: Id,
  taskId: Id,
  nodeId: Id,
  agentProfileId: Id,
  skillId: Id,
  agentType: Id,
  runtime: Runtime,
  sourceVersion: Count,
  ...counts,
  cpuMeanMillis: Figure,
  cpuPeakMillis: Figure,
  memoryMeanBytes: Figure,
  memoryPeakBytes: Figure,
  memoryKernelPeakBytes: Figure,
  /** Null for history from older node agents. */
  memoryWorkingSetMeanBytes: Figure,
  memoryWorkingSetPeakBytes: Figure,
  ioReadBytes: Figure,
  ioWriteBytes: Figure,
  oomCount: Figure,
  completeness: ResourceCompleteness,
  summary: ResourceSummary,
  firstChunkId: Id,
  latestChunkId: Id,
});
export type ResourceHistorySummary = z.infer<typeof ResourceHistorySummary>;

export const ResourceHistoryChunk = z.object({
  id: z.string(),
  workspaceId: z.string(),
  sessionId: Id,
  taskId: Id,
  nodeId: Id,
  chunkSequence: Count,
  sourceVersion: Count,
  storageFormat: z.literal(resourceHistoryFormat),
  compressedBytes: Count,
  uncompressedBytes: Count,
  sha256: z.string(),
  ...counts,
  completeness: ResourceCompleteness,
  summary: ResourceSummary,
  expiresAt: Count,
});
export type ResourceHistoryChunk = z.infer<typeof ResourceHistoryChunk>;

export const ResourceChunkDetail = z.object({
  chunkId: z.string(),
  samples: z.array(ResourceSample),
  toolSpans: z.array(ResourceToolSpan),
  gaps: z.array(ResourceGap),
  originalSampleCount: Count,
  downsampled: z.boolean(),
  downsampleLimit: Count,
});
export type ResourceChunkDetail = z.infer<typeof ResourceChunkDetail>;

/** Of a chat, a task or a workspace. `detail` answers the query `chunkId`. */
export const ResourceHistoryAnswer = z.object({
  summary: z.nullable(ResourceHistorySummary),
  /** Newest first. */
  chunks: z.array(ResourceHistoryChunk),
  detail: z.optional(ResourceChunkDetail),
});
export type ResourceHistoryAnswer = z.infer<typeof ResourceHistoryAnswer>;

const rollupBuckets = 60;
const Column = z.array(Figure).check(z.maxLength(rollupBuckets));
const CountColumn = z.array(Count).check(z.maxLength(rollupBuckets));

/** Figures of a chunk by minute; a long chunk has wider buckets. */
export const ResourceRollup = z.object({
  v: z.literal(1),
  bucketMs: z.int().check(z.gte(60_000)),
  start: CountColumn,
  end: CountColumn,
  samples: CountColumn,
  cpuMeanCores: Column,
  cpuMaxCores: Column,
  memoryMeanBytes: Column,
  memoryMaxBytes: Column,
  workingSetMeanBytes: Column,
  workingSetMaxBytes: Column,
  ioReadBytes: Column,
  ioWriteBytes: Column,
  oomKills: Column,
  toolCallStarts: CountColumn,
});
export type ResourceRollup = z.infer<typeof ResourceRollup>;

export const ResourceTimeline = z.object({
  sessionId: z.string(),
  /** Chunks by workspace. */
  runs: z.array(
    z.object({
      workspaceId: z.string(),
      nodeId: Id,
      runtime: Runtime,
      startedAt: Count,
      endedAt: Count,
      reservation: z.nullable(z.object({ cpuMillis: z.number(), memoryMb: z.number() })),
    }),
  ),
  /** Oldest first. */
  chunks: z.array(
    z.object({
      id: z.string(),
      workspaceId: z.string(),
      ...counts,
      summary: ResourceSummary,
      completeness: ResourceCompleteness,
      /** Null for a chunk that was stored before rollups existed. */
      rollup: z.nullable(ResourceRollup),
    }),
  ),
  totalChunkCount: Count,
  omittedChunkCount: Count,
  maxChunks: Count,
  collection: z.enum(['collected', 'pending', 'unsupported', 'expired']),
  runtime: Runtime,
});
export type ResourceTimeline = z.infer<typeof ResourceTimeline>;
