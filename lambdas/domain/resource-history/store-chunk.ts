import type {
  ResourceChunk,
  ResourceHistoryUpload,
  ResourceHistoryUploadAnswer,
} from '../../../protocol/resource-history.js';
import type { Table } from '../../shared/table.js';
import { getItems, type Item } from '../records/batch-items.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { taskKey } from '../tasks/task.js';
import { agentOf, type ChunkReporter, identifyChunk, type OwnedChunk } from './attribution.js';
import {
  chunkDays,
  chunkId,
  chunkItem,
  chunkKey,
  contentKey,
  isRetained,
  StoredChunk,
  secondsPerDay,
  summaryId,
} from './chunk.js';
import { countsOf, readContent } from './chunk-content.js';
import { chunkDiffers } from './errors.js';
import { type HistoryObjects, putContent } from './history-objects.js';
import { rollupOf } from './rollup.js';
import { type AgentOfChunk, addChunk, StoredSummary, summaryItem, summaryKey } from './summary.js';

/**
 * Stores a chunk of a workspace, and adds it to the summaries of its chat or task and its
 * workspace. A repeat changes nothing. Three table calls, and one more for each other chunk that is
 * stored at the same time.
 *
 * @throws {chunkInvalid | chunkNotOwn | chunkDiffers | workspaceNotFound | StaleGeneration}
 */
export async function storeChunk(
  table: Table,
  reporter: ChunkReporter,
  { upload, ...deps }: HistoryObjects & { readonly upload: ResourceHistoryUpload },
): Promise<ResourceHistoryUploadAnswer> {
  const content = readContent(upload);
  const owned = await identifyChunk(table, reporter, upload);
  const summaryKeys = scopesOf(owned).map(({ scopeId }) => summaryKey(scopeId));
  const task = owned.taskId === null ? [] : [taskKey(reporter.projectId, owned.taskId)];
  const find = await getItems(table, [chunkKey(owned.name), ...task, ...summaryKeys]);
  const present = find(chunkKey(owned.name));
  if (present) return answer(owned, isRepeat(present, upload));
  // Before the row, so that every row has its object.
  await putContent(deps, contentKey(owned.name, upload.sha256), content);
  const chunk = storedChunk(owned, { upload, content, now: deps.now });
  const agent = agentOf(owned, task[0] && find(task[0]));
  return retryOnConflict(
    summaryKeys.map(find),
    { attempts: 5, message: 'Other chunks of the workspace are stored at this time. Try again.' },
    (summaries) => writeRows(table, { owned, agent, chunk, now: deps.now }, summaries),
  );
}

const answer = ({ name }: OwnedChunk, idempotent: boolean): ResourceHistoryUploadAnswer => ({
  summaryId: summaryId(name),
  chunkId: chunkId(name),
  idempotent,
});

/** @throws {chunkDiffers} */
function isRepeat(present: Item, { sha256 }: Pick<ResourceHistoryUpload, 'sha256'>): true {
  if (StoredChunk.parse(present).sha256 !== sha256) throw chunkDiffers();
  return true;
}

const scopesOf = ({ name }: Pick<OwnedChunk, 'name'>) => [
  ...(name.scope === 'workspace' ? [] : [{ scope: name.scope, scopeId: name.scopeId }]),
  { scope: 'workspace', scopeId: name.workspaceId } as const,
];

interface Received {
  readonly upload: ResourceHistoryUpload;
  readonly content: ResourceChunk;
  readonly now: Date;
}

function storedChunk(owned: OwnedChunk, { upload, content, now }: Received): StoredChunk {
  const { sessionId, taskId, nodeId, reservation, name } = owned;
  const { startedAt, endedAt, sourceVersion, chunkSequence, runtime = null } = upload;
  const { compressedBytes, uncompressedBytes, sha256, completeness, summary } = upload;
  const { projectId, workspaceId, scope } = name;
  return {
    ...{ projectId, workspaceId, sessionId, taskId, scope, nodeId, runtime, reservation },
    ...{ sourceVersion, chunkSequence, compressedBytes, uncompressedBytes, sha256, startedAt, endedAt },
    ...{ ...countsOf(content), completeness, summary },
    rollup: rollupOf(content, upload),
    expiresAt: Math.floor(now.getTime() / 1_000) + chunkDays * secondsPerDay,
  };
}

interface NewRows {
  readonly owned: OwnedChunk;
  readonly agent: AgentOfChunk;
  readonly chunk: StoredChunk;
  readonly now: Date;
}

async function writeRows(
  table: Table,
  { owned, agent, chunk, now }: NewRows,
  summaries: readonly (Item | undefined)[],
) {
  const writes = scopesOf(owned).map(({ scope, scopeId }, index): Write => {
    const item = summaries[index];
    const found = item && StoredSummary.parse(item);
    // One that has expired and is not deleted yet begins again.
    const before = found && isRetained(found, now) ? found : null;
    const { version = 0 } = found ?? {};
    return {
      put: summaryItem(scopeId, { ...addChunk(before, { chunk, agent, scope, now }), version: version + 1 }),
      when: found ? { equals: { version } } : { exists: false },
    };
  });
  const put = { put: chunkItem(owned.name, chunk), when: { exists: false } };
  const outcome = await transact(table, [put, ...writes]);
  if (outcome.committed) return { result: answer(owned, false) };
  const [first, ...others] = outcome.refusals;
  if (first?.failed && first.item) return { result: answer(owned, isRepeat(first.item, chunk)) };
  // Only a refused write has the item that it met.
  return { met: others.map(({ failed, item }, index) => (failed ? item : summaries[index])) };
}
