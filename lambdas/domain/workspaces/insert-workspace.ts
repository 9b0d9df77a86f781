import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { Creation, type CreationKey, creationItem } from './creation.js';
import { IdempotencyKeyReused } from './errors.js';
import { type Workspace, workspaceItem } from './workspace.js';

/** What the caller asked for; the rest of a new row follows from it. */
export type NewWorkspace = Pick<
  Workspace,
  | 'workspaceId'
  | 'userId'
  | 'projectId'
  | 'displayName'
  | 'repository'
  | 'cloneUrl'
  | 'installationId'
  | 'branch'
  | 'resourceRequirements'
  | 'gitAuthor'
>;

export function newWorkspace(asked: NewWorkspace, now: Date): Workspace {
  const at = now.toISOString();
  return {
    ...asked,
    status: 'pending',
    generation: 1,
    version: 1,
    statusChangedAt: at,
    nodeId: null,
    nodeUrl: null,
    nodeCertificatePem: null,
    dispatchedAt: null,
    readyAt: null,
    errorMessage: null,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * Writes a new workspace. With a creation key (the caller's Idempotency-Key) a repeat of the same request writes
 * nothing and gives the id of the first. One table call.
 *
 * @throws {IdempotencyKeyReused} the key was used with another request
 */
export async function insertWorkspace(
  table: Table,
  workspace: Workspace,
  creation: CreationKey | undefined,
): Promise<{ readonly workspaceId: string }> {
  const { workspaceId } = workspace;
  const marker = unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: workspace.createdAt });
  const outcome = await transact(table, [
    { put: workspaceItem(workspace), when: { exists: false } },
    { put: marker, when: {} },
    ...(creation ? [{ put: creationItem(creation, workspace), when: { exists: false } }] : []),
  ]);
  if (outcome.committed) return { workspaceId };

  const earlier = outcome.refusals[2]?.item;
  if (!creation || !earlier) throw new Error(`The id ${workspaceId} is taken`);
  const { requestHash, workspaceId: firstId } = Creation.parse(earlier);
  if (requestHash !== creation.requestHash) throw new IdempotencyKeyReused();
  return { workspaceId: firstId };
}
