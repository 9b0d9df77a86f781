import * as z from 'zod/mini';
import { ResourceSummary } from '../../../protocol/resource-history.js';
import type { ResourceHistorySummary } from '../../../protocol/resource-history-reads.js';
import type { Item } from '../records/batch-items.js';
import { orNull, withoutNulls } from '../records/changes.js';
import {
  chunkId,
  historyFields,
  historyOf,
  isRetained,
  nameOf,
  type StoredChunk,
  scopeIdOf,
  secondsPerDay,
  summaryId,
} from './chunk.js';
import { figureNames, mergeCompleteness, mergeFigures, weightedFigures } from './merge-summary.js';

const summaryDays = 180;

/** Of the agent that ran, from the records of its session and task. */
export const AgentOfChunk = z.object({
  agentProfileId: orNull(z.string()),
  skillId: orNull(z.string()),
  agentType: orNull(z.string()),
});
export type AgentOfChunk = z.infer<typeof AgentOfChunk>;

const ChunkMark = z.object({ id: z.string(), at: z.int() });

/** All chunks of a chat, a task or a workspace together. */
export const StoredSummary = z.object({
  ...historyFields,
  ...AgentOfChunk.shape,
  figures: ResourceSummary,
  weights: z.object({
    cpuMeanMillis: z.optional(z.number()),
    memoryMeanBytes: z.optional(z.number()),
    memoryWorkingSetMeanBytes: z.optional(z.number()),
  }),
  first: ChunkMark,
  latest: ChunkMark,
  /** Counts its changes. */
  version: z.int(),
});
export type StoredSummary = z.infer<typeof StoredSummary>;

export const summaryKey = (scopeId: string) => ({ pk: historyOf(scopeId), sk: 'SUMMARY' });

export const summaryItem = (scopeId: string, summary: StoredSummary) => ({
  ...summaryKey(scopeId),
  entity: 'resource-summary',
  schemaVersion: 1,
  ...withoutNulls(summary),
});

/** The row, unless it has expired. The table deletes it some time after. */
export function readSummary(item: Item | undefined, now: Date): StoredSummary | null {
  const summary = item ? StoredSummary.parse(item) : null;
  return summary && isRetained(summary, now) ? summary : null;
}

interface Merge {
  readonly chunk: StoredChunk;
  readonly agent: AgentOfChunk;
  /** A chat or task keeps its own; a workspace has chunks of several. */
  readonly scope: StoredSummary['scope'];
  readonly now: Date;
}

/** The summary with one chunk more. A late chunk does not replace the names of a newer one. */
export function addChunk(
  before: StoredSummary | null,
  { chunk, agent, scope, now }: Merge,
): Omit<StoredSummary, 'version'> {
  const alone = summaryOfOne(chunk, agent, scope);
  const expiresAt = Math.floor(now.getTime() / 1_000) + summaryDays * secondsPerDay;
  if (!before) return { ...alone, expiresAt };
  const isLater = chunk.endedAt >= before.latest.at;
  const [earlier, later] = isLater ? [before, alone] : [alone, before];
  return {
    ...later,
    ...mergeFigures(earlier, later),
    completeness: mergeCompleteness(earlier.completeness, later.completeness),
    startedAt: Math.min(earlier.startedAt, later.startedAt),
    endedAt: Math.max(earlier.endedAt, later.endedAt),
    sampleCount: earlier.sampleCount + later.sampleCount,
    gapCount: earlier.gapCount + later.gapCount,
    toolSpanCount: earlier.toolSpanCount + later.toolSpanCount,
    first: chunk.startedAt < before.first.at ? alone.first : before.first,
    latest: isLater ? alone.latest : before.latest,
    expiresAt,
  };
}

function summaryOfOne(chunk: StoredChunk, agent: AgentOfChunk, scope: StoredSummary['scope']) {
  const { startedAt, endedAt } = chunk;
  const id = chunkId(nameOf(chunk));
  const { projectId, workspaceId, nodeId, runtime, sourceVersion } = chunk;
  const { sampleCount, gapCount, toolSpanCount, completeness, sessionId, taskId } = chunk;
  const named = scope === 'workspace' ? { sessionId: null, taskId: null } : { sessionId, taskId };
  return {
    ...{ projectId, workspaceId, ...named, scope, nodeId, runtime, ...agent, sourceVersion },
    ...{ startedAt, endedAt, sampleCount, gapCount, toolSpanCount, completeness },
    ...weightedFigures(chunk.summary, endedAt - startedAt),
    first: { id, at: startedAt },
    latest: { id, at: endedAt },
  };
}

export function summaryView(summary: StoredSummary): ResourceHistorySummary {
  const { figures, first, latest, scope, projectId, workspaceId } = summary;
  const top = Object.fromEntries(figureNames.map((name) => [name, figures[name] ?? null]));
  return {
    ...summary,
    id: summaryId({ projectId, workspaceId, scope, scopeId: scopeIdOf(summary) }),
    ...(top as Record<(typeof figureNames)[number], number | null>), // One entry for each name.
    summary: figures,
    firstChunkId: first.id,
    latestChunkId: latest.id,
  };
}
