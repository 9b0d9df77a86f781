import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ResourceTimeline } from '../../../protocol/resource-history-reads.js';
import type { Table } from '../../shared/table.js';
import { chunkId, isRetained, nameOf, type StoredChunk, startKey } from './chunk.js';
import { listChunks, queryOf } from './read-history.js';
import type { StoredSummary } from './summary.js';

/** WORKSPACE_RESOURCE_TIMELINE_MAX_CHUNKS. */
const maxTimelineChunks = 1_000;

const scopeOf = (sessionId: string) => ({ scopeId: sessionId, of: 'conversation' }) as const;

interface TimelineRequest {
  readonly sessionId: string;
  readonly summary: StoredSummary | null;
  readonly now: Date;
}

/**
 * All retained chunks of a chat with their figures by minute; beyond 1,000 the newest. One table
 * call for each MB of rows.
 */
export async function readTimeline(
  table: Table,
  { sessionId, summary, now }: TimelineRequest,
): Promise<ResourceTimeline> {
  // One more, to see whether there are more.
  const found = await listChunks(table, scopeOf(sessionId), { limit: maxTimelineChunks + 1 });
  const retained = found.filter((chunk) => isRetained(chunk, now));
  const chunks = retained.slice(0, maxTimelineChunks).reverse();
  const omitted =
    retained.length > maxTimelineChunks ? await countOlder(table, chunks[0], { sessionId, now }) : 0;
  return {
    sessionId,
    runs: runsOf(chunks),
    chunks: chunks.map(timelineChunk),
    totalChunkCount: chunks.length + omitted,
    omittedChunkCount: omitted,
    maxChunks: maxTimelineChunks,
    collection: collectionOf(chunks, summary),
    runtime: chunks.at(-1)?.runtime ?? summary?.runtime ?? null,
  };
}

/** An instant session, whose history is `unsupported`, does not exist here. */
function collectionOf(
  chunks: readonly StoredChunk[],
  summary: StoredSummary | null,
): ResourceTimeline['collection'] {
  if (chunks.length > 0) return 'collected';
  return summary ? 'expired' : 'pending';
}

function timelineChunk(chunk: StoredChunk): ResourceTimeline['chunks'][number] {
  const { workspaceId, startedAt, endedAt, sampleCount, gapCount, toolSpanCount } = chunk;
  const { summary, completeness, rollup } = chunk;
  return {
    ...{ id: chunkId(nameOf(chunk)), workspaceId, startedAt, endedAt },
    ...{ sampleCount, gapCount, toolSpanCount, summary, completeness, rollup },
  };
}

/** Of each workspace, in the order of their first chunks. */
function runsOf(chunks: readonly StoredChunk[]): ResourceTimeline['runs'] {
  return [...Map.groupBy(chunks, ({ workspaceId }) => workspaceId)].map(([workspaceId, run]) => {
    const latest = run.at(-1);
    return {
      workspaceId,
      nodeId: latest?.nodeId ?? null,
      runtime: latest?.runtime ?? null,
      startedAt: Math.min(...run.map(({ startedAt }) => startedAt)),
      endedAt: Math.max(...run.map(({ endedAt }) => endedAt)),
      reservation: latest?.reservation ?? null,
    };
  });
}

async function countOlder(
  table: Table,
  oldest: StoredChunk | undefined,
  { sessionId, now }: Pick<TimelineRequest, 'sessionId' | 'now'>,
): Promise<number> {
  if (!oldest) return 0;
  const query = queryOf(table, scopeOf(sessionId));
  let count = 0;
  let from: Record<string, unknown> | undefined;
  do {
    const { Count = 0, LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        ...query,
        KeyConditionExpression: `${query.KeyConditionExpression} AND ownerSk < :oldest`,
        FilterExpression: 'expiresAt > :now',
        ExpressionAttributeValues: {
          ...query.ExpressionAttributeValues,
          ':oldest': startKey(oldest),
          ':now': Math.floor(now.getTime() / 1_000),
        },
        Select: 'COUNT',
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    count += Count;
    from = LastEvaluatedKey;
  } while (from);
  return count;
}
