import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  ResourceCompleteness,
  ResourceSummary,
  resourceHistoryFormat,
  resourceRuntimes,
} from '../../../protocol/resource-history.js';
import { type ResourceHistoryChunk, ResourceRollup } from '../../../protocol/resource-history-reads.js';
import { orNull, withoutNulls } from '../records/changes.js';

/** Samples of a chunk and its row. The lifecycle rule of the objects is the same. */
export const chunkDays = 90;
export const secondsPerDay = 24 * 60 * 60;

/** Fields of a chunk and of a summary alike. */
export const historyFields = {
  projectId: Ulid,
  workspaceId: Ulid,
  sessionId: orNull(Ulid),
  taskId: orNull(Ulid),
  /** The record in its id. A task has the id of its chat. */
  scope: z.enum(['session', 'task', 'workspace']),
  nodeId: orNull(Ulid),
  runtime: orNull(z.enum(resourceRuntimes)),
  sourceVersion: z.int(),
  startedAt: z.int(),
  endedAt: z.int(),
  sampleCount: z.int(),
  gapCount: z.int(),
  toolSpanCount: z.int(),
  completeness: ResourceCompleteness,
  /** Epoch seconds. */
  expiresAt: z.int(),
};

/** The figures of a chunk whose content is in S3. */
export const StoredChunk = z.object({
  ...historyFields,
  chunkSequence: z.int(),
  compressedBytes: z.int(),
  uncompressedBytes: z.int(),
  sha256: z.string(),
  summary: ResourceSummary,
  rollup: orNull(ResourceRollup),
  /** Of the workspace at the time of the upload. */
  reservation: orNull(z.object({ cpuMillis: z.number(), memoryMb: z.number() })),
});
export type StoredChunk = z.infer<typeof StoredChunk>;

/** The identity of a chunk. */
export type ChunkName = Pick<
  StoredChunk,
  'projectId' | 'workspaceId' | 'scope' | 'sourceVersion' | 'chunkSequence'
> & { readonly scopeId: string };

export const historyOf = (scopeId: string): string => `RESOURCES#${scopeId}`;

export const chunkKey = ({ workspaceId, scope, scopeId, sourceVersion, chunkSequence }: ChunkName) => ({
  pk: historyOf(scopeId),
  sk: `CHUNK#${workspaceId}#${scope}#${sourceVersion}#${chunkSequence}`,
});

export const startKey = ({ startedAt, chunkSequence }: StoredChunk): string =>
  [startedAt, chunkSequence].map((value) => String(value).padStart(16, '0')).join('#');

/** `byOwner` lists the chunks of a chat or task, `byParent` those of a workspace, by start. */
export function chunkItem(name: ChunkName, chunk: StoredChunk) {
  const scoped = { ownerPk: historyOf(name.scopeId), ownerSk: startKey(chunk) };
  return {
    ...chunkKey(name),
    entity: 'resource-chunk',
    schemaVersion: 1,
    ...(name.scope === 'workspace' ? {} : scoped),
    parentPk: historyOf(chunk.workspaceId),
    parentSk: startKey(chunk),
    ...withoutNulls(chunk),
  };
}

const scopePart = ({ scope, scopeId }: Pick<ChunkName, 'scope' | 'scopeId'>, separator: string): string =>
  scope === 'workspace' ? scope : `${scope}${separator}${scopeId}`;

/** Id on the wire. */
export const chunkId = (name: ChunkName): string =>
  [
    'wrchunk',
    name.projectId,
    name.workspaceId,
    scopePart(name, ':'),
    name.sourceVersion,
    name.chunkSequence,
  ].join(':');

/** Id of its summary on the wire. */
export const summaryId = (name: Omit<ChunkName, 'sourceVersion' | 'chunkSequence'>): string =>
  ['workspace', name.projectId, name.workspaceId, scopePart(name, ':')].join(':');

const idPattern =
  /^wrchunk:([0-9A-Z]{26}):([0-9A-Z]{26}):(?:(session|task):([0-9A-Z]{26})|workspace):(\d{1,16}):(\d{1,16})$/;

/** The chunk with this id; undefined when the text is no id. */
export function parseChunkId(id: string): ChunkName | undefined {
  const [, projectId, workspaceId, scope = 'workspace', scopeId, sourceVersion, chunkSequence] =
    idPattern.exec(id) ?? [];
  if (!projectId || !workspaceId) return undefined;
  const name = {
    projectId,
    workspaceId,
    scope: scope as ChunkName['scope'], // One of the three in the pattern.
    scopeId: scopeId ?? workspaceId,
    sourceVersion: Number(sourceVersion),
    chunkSequence: Number(chunkSequence),
  };
  // One id for each chunk: no leading zeros.
  return chunkId(name) === id ? name : undefined;
}

export const nameOf = (chunk: StoredChunk): ChunkName => ({
  ...chunk,
  scopeId: scopeIdOf(chunk),
});

type Scoped = Pick<StoredChunk, 'scope' | 'sessionId' | 'taskId' | 'workspaceId'>;

export function scopeIdOf({ scope, sessionId, taskId, workspaceId }: Scoped): string {
  if (scope === 'workspace') return workspaceId;
  return (scope === 'session' ? sessionId : taskId) ?? workspaceId;
}

/** The object with the content. Two uploads with one id never write the same object. */
export const contentKey = (name: ChunkName, sha256: string): string =>
  [
    `resource-history/v1/projects/${name.projectId}/workspaces/${name.workspaceId}`,
    scopePart(name, '/'),
    `v${name.sourceVersion}`,
    `${name.chunkSequence}-${sha256}.json.gz`,
  ].join('/');

export function chunkView(chunk: StoredChunk): ResourceHistoryChunk {
  return {
    ...chunk,
    id: chunkId(nameOf(chunk)),
    storageFormat: resourceHistoryFormat,
    expiresAt: chunk.expiresAt * 1_000,
  };
}

/** The table deletes a row some time after it has expired. */
export const isRetained = ({ expiresAt }: Pick<StoredChunk, 'expiresAt'>, now: Date): boolean =>
  expiresAt * 1_000 > now.getTime();
