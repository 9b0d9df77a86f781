import * as z from 'zod/mini';
import { Ulid } from './ids.js';

/**
 * History of what a workspace used: chunks of samples and tool spans, as gzip of JSON. The schemas
 * of the decoded chunk drop every field that they do not name.
 */

export const resourceHistoryFormat = 'resource-history-gzip-json-v1';
export const resourceHistoryLimits = {
  compressedBytes: 2 * 2 ** 20,
  uncompressedBytes: 8 * 2 ** 20,
  samples: 4_096,
  toolSpans: 4_096,
  gaps: 4_096,
  toolNameBytes: 256,
  /** Of `completeness` and of `summary`, as JSON. */
  metadataBytes: 8 * 2 ** 10,
} as const;

export const resourceToolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
  'acp_tool_call',
] as const;

export const resourceRuntimes = ['vm', 'cf-container'] as const;
/** Figures that the kernel of the node does not offer. */
export const unsupportedFigures = [
  'cgroup',
  'cpu',
  'memory',
  'memory_working_set',
  'memory_peak',
  'io',
  'oom',
  'pids',
] as const;
export type UnsupportedFigure = (typeof unsupportedFigures)[number];

const Count = z.int().check(z.gte(0));
const Amount = z.number().check(z.gte(0));
/** Milliseconds since 1970. */
const Time = Count;

interface Period {
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
}
const endsAfterStart = z.refine<Period>(
  ({ startedAt, endedAt }) => endedAt === undefined || endedAt >= startedAt,
  { path: ['endedAt'], error: 'endedAt must not be before startedAt' },
);

export const ResourceSample = z.object({
  t: Time,
  intervalMillis: Count,
  cpuMillis: z.optional(Amount),
  memoryBytes: z.optional(Count),
  /** Without inactive file cache. Absent means unknown, not zero. */
  memoryWorkingSetBytes: z.optional(Count),
  memoryPeakBytes: z.optional(Count),
  ioReadBytes: z.optional(Count),
  ioWriteBytes: z.optional(Count),
  oom: z.optional(Count),
  oomKill: z.optional(Count),
  pidsCurrent: z.optional(Count),
  /** A counter was lower than before. */
  counterReset: z.optional(z.boolean()),
  gap: z.optional(z.boolean()),
});
export type ResourceSample = z.infer<typeof ResourceSample>;

/** Cuts a tool name to the allowed bytes, at a whole character, and drops control characters. */
export function boundToolName(name: string): string {
  const bytes = new TextEncoder().encode(name.replace(/\p{Cc}/gu, ''));
  const kept = bytes.subarray(0, resourceHistoryLimits.toolNameBytes);
  return new TextDecoder().decode(kept, { stream: true });
}

export const ResourceToolSpan = z
  .object({
    /** Start of the SHA-256 of the tool-call id. */
    id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
    kind: z.enum(resourceToolKinds),
    toolName: z.optional(z.string().check(z.overwrite(boundToolName))),
    startedAt: Time,
    endedAt: z.optional(Time),
    concurrency: z.optional(Count),
    /** The end was not seen. */
    approximate: z.optional(z.boolean()),
  })
  .check(endsAfterStart);
export type ResourceToolSpan = z.infer<typeof ResourceToolSpan>;

export const ResourceGap = z
  .object({
    startedAt: Time,
    endedAt: Time,
    reason: z.literal('sampler_delay'),
  })
  .check(endsAfterStart);
export type ResourceGap = z.infer<typeof ResourceGap>;

export const ResourceChunk = z.object({
  version: z.literal(1),
  samples: z.array(ResourceSample).check(z.maxLength(resourceHistoryLimits.samples)),
  toolSpans: z.array(ResourceToolSpan).check(z.maxLength(resourceHistoryLimits.toolSpans)),
  gaps: z.optional(z.array(ResourceGap).check(z.maxLength(resourceHistoryLimits.gaps))),
});
export type ResourceChunk = z.infer<typeof ResourceChunk>;

export const ResourceSummary = z.object({
  cpuMeanMillis: z.nullish(Amount),
  cpuPeakMillis: z.nullish(Amount),
  memoryMeanBytes: z.nullish(Amount),
  memoryPeakBytes: z.nullish(Count),
  /** Includes file cache. */
  memoryKernelPeakBytes: z.nullish(Count),
  memoryWorkingSetMeanBytes: z.nullish(Amount),
  memoryWorkingSetPeakBytes: z.nullish(Count),
  ioReadBytes: z.nullish(Count),
  ioWriteBytes: z.nullish(Count),
  oomCount: z.nullish(Count),
  sampleIntervalMillis: z.nullish(Count),
  weightedMeanWallMillis: z.nullish(Amount),
});
export type ResourceSummary = z.infer<typeof ResourceSummary>;

export const ResourceCompleteness = z.object({
  status: z.enum(['complete', 'partial']),
  finalFlush: z.optional(z.boolean()),
  unsupported: z.optional(z.array(z.enum(unsupportedFigures)).check(z.maxLength(unsupportedFigures.length))),
  nodeLossMayLoseUnflushedWindow: z.optional(z.boolean()),
  source: z.optional(z.enum(['cgroup-v1', 'cgroup-v2'])),
});
export type ResourceCompleteness = z.infer<typeof ResourceCompleteness>;

/** Limits the size before the schema drops the fields that it does not name. */
const metadata = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.unknown().check(
      z.refine((value) => jsonBytes(value) <= resourceHistoryLimits.metadataBytes, {
        error: `Must be at most ${resourceHistoryLimits.metadataBytes} bytes of JSON`,
      }),
    ),
    schema,
  );

const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? '').length;

const Label = z.nullish(z.string().check(z.maxLength(128)));

/** Body of `POST /api/projects/:projectId/workspace-resource-history`. */
export const ResourceHistoryUpload = z
  .object({
    workspaceId: Ulid,
    nodeId: z.nullish(Ulid),
    sessionId: z.nullish(Ulid),
    taskId: z.nullish(Ulid),
    agentProfileId: Label,
    skillId: Label,
    agentType: Label,
    runtime: z.nullish(z.enum(resourceRuntimes)),
    sourceVersion: z.int().check(z.gte(1)),
    chunkSequence: Count,
    startedAt: Time,
    endedAt: Time,
    sampleCount: Count.check(z.lte(resourceHistoryLimits.samples)),
    gapCount: z.nullish(Count.check(z.lte(resourceHistoryLimits.gaps))),
    toolSpanCount: z.nullish(Count.check(z.lte(resourceHistoryLimits.toolSpans))),
    compressedBase64: z.string().check(z.maxLength(4 * Math.ceil(resourceHistoryLimits.compressedBytes / 3))),
    compressedBytes: Count.check(z.lte(resourceHistoryLimits.compressedBytes)),
    uncompressedBytes: Count.check(z.lte(resourceHistoryLimits.uncompressedBytes)),
    /** Of the compressed bytes. */
    sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    storageFormat: z.nullish(z.literal(resourceHistoryFormat)),
    completeness: metadata(ResourceCompleteness),
    summary: metadata(ResourceSummary),
  })
  .check(endsAfterStart);
export type ResourceHistoryUpload = z.infer<typeof ResourceHistoryUpload>;

export const ResourceHistoryUploadAnswer = z.object({
  summaryId: z.string(),
  chunkId: z.string(),
  /** The same chunk was stored before. */
  idempotent: z.boolean(),
});
export type ResourceHistoryUploadAnswer = z.infer<typeof ResourceHistoryUploadAnswer>;
