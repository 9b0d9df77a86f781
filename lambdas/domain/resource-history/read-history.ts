import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ResourceChunkDetail, ResourceHistoryAnswer } from '../../../protocol/resource-history-reads.js';
import { byOwner, byParent, type Table } from '../../shared/table.js';
import type { Find } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import {
  type ChunkName,
  chunkId,
  chunkKey,
  chunkView,
  contentKey,
  historyOf,
  isRetained,
  parseChunkId,
  StoredChunk,
} from './chunk.js';
import { downsample, maxDetailPoints } from './downsample.js';
import { chunkNotFound } from './errors.js';
import { getContent, type HistoryObjects } from './history-objects.js';
import { readSummary, summaryKey, summaryView } from './summary.js';

/** WORKSPACE_RESOURCE_LIST_LIMIT. */
const maxListedChunks = 24;

/** A chat, a task or a workspace of a project. A task has the id of its chat. */
export interface HistoryScope {
  readonly projectId: string;
  readonly scopeId: string;
  readonly of: 'conversation' | 'workspace';
}

/** The chunk of this scope with this id; undefined when the id is of no such chunk. */
function chunkInScope({ projectId, scopeId, of }: HistoryScope, id: string): ChunkName | undefined {
  const name = parseChunkId(id);
  if (name?.projectId !== projectId) return undefined;
  if (of === 'workspace') return name.workspaceId === scopeId ? name : undefined;
  return name.scope !== 'workspace' && name.scopeId === scopeId ? name : undefined;
}

/** The records that a request reads beside that of the scope, in the same table call. */
export function keysOfHistory(scope: HistoryScope, askedChunk: string | undefined): readonly Key[] {
  const chunk = askedChunk === undefined ? undefined : chunkInScope(scope, askedChunk);
  return [summaryKey(scope.scopeId), ...(chunk ? [chunkKey(chunk)] : [])];
}

interface HistoryRequest extends HistoryObjects {
  readonly scope: HistoryScope;
  readonly chunkId: string | undefined;
  /** Has the items of `keysOfHistory`. */
  readonly find: Find;
}

/**
 * The summary and the newest chunks. One table call, and one object for `chunkId`.
 *
 * @throws {chunkNotFound | Unavailable}
 */
export async function readHistory(
  table: Table,
  { scope, chunkId: asked, find, ...store }: HistoryRequest,
): Promise<ResourceHistoryAnswer> {
  const summary = readSummary(find(summaryKey(scope.scopeId)), store.now);
  const [chunks, detail] = await Promise.all([
    listChunks(table, scope, { limit: maxListedChunks }),
    asked === undefined ? undefined : readDetail(find, scope, { ...store, chunkId: asked }),
  ]);
  const retained = chunks.filter((chunk) => isRetained(chunk, store.now));
  return {
    summary: summary && summaryView(summary),
    chunks: retained.map(chunkView),
    ...(detail ? { detail } : {}),
  };
}

/** Newest first. One table call for each MB, of about 450 chunks. */
export async function listChunks(
  table: Table,
  { scopeId, of }: Pick<HistoryScope, 'scopeId' | 'of'>,
  { limit }: { readonly limit: number },
): Promise<readonly StoredChunk[]> {
  const found: StoredChunk[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        ...queryOf(table, { scopeId, of }),
        Limit: limit - found.length,
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    found.push(...Items.map((item) => StoredChunk.parse(item)));
    from = LastEvaluatedKey;
  } while (from && found.length < limit);
  return found;
}

/** The query of the chunks of a scope, newest first. */
export const queryOf = (table: Table, { scopeId, of }: Pick<HistoryScope, 'scopeId' | 'of'>) => ({
  TableName: table.name,
  ...(of === 'workspace'
    ? { IndexName: byParent, KeyConditionExpression: 'parentPk = :scope' }
    : { IndexName: byOwner, KeyConditionExpression: 'ownerPk = :scope' }),
  ExpressionAttributeValues: { ':scope': historyOf(scopeId) },
  ScanIndexForward: false,
});

interface DetailRequest extends HistoryObjects {
  readonly chunkId: string;
}

/**
 * Samples and tool spans of one chunk. One object.
 *
 * @throws {chunkNotFound} it is of another scope, was never stored, or has expired
 * @throws {Unavailable}
 */
export async function readDetail(
  find: Find,
  scope: HistoryScope,
  { chunkId: asked, ...store }: DetailRequest,
): Promise<ResourceChunkDetail> {
  const name = chunkInScope(scope, asked);
  const item = name && find(chunkKey(name));
  const chunk = item && StoredChunk.parse(item);
  if (!chunk || !isRetained(chunk, store.now)) throw chunkNotFound();
  const content = await getContent(store, contentKey(name, chunk.sha256));
  if (!content) throw chunkNotFound();
  const samples = downsample(content.samples);
  return {
    chunkId: chunkId(name),
    samples: [...samples],
    toolSpans: content.toolSpans,
    gaps: content.gaps ?? [],
    originalSampleCount: content.samples.length,
    downsampled: samples.length < content.samples.length,
    downsampleLimit: maxDetailPoints,
  };
}
