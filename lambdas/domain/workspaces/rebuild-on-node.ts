import type { SigningKeys } from '../../shared/signing-keys.js';
import type { UserTokenSource } from '../code-host/open-user-token.js';
import { transactWithGrant } from '../code-host/transact-with-grant.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import { formerAddressOf } from '../nodes/node-address.js';
import { remakeOnNode } from '../nodes/node-workspaces.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import type { OwnWorkspace } from './load-with-grant.js';
import { requireRepository } from './require-repository.js';

export interface RebuildNeeds {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly timeoutMs: number;
}

/**
 * Has the node of a running workspace make it anew around its files; the node's ready callback ends it. A node that
 * refuses or does not answer leaves the workspace as it was. Two table calls at most.
 *
 * @throws {WorkspaceNotInState} it was moved meanwhile
 * @throws {CodeHostAccessLost} its owner has no access to its repository any more
 * @throws {CodeHostUnavailable | NodeRefused | NodeUnreachable}
 */
export async function rebuildOnNode(
  source: UserTokenSource,
  own: OwnWorkspace,
  needs: RebuildNeeds,
): Promise<void> {
  const { seen } = own;
  const { workspaceId, userId, generation } = seen;
  const { keys, now, timeoutMs } = needs;
  const address = formerAddressOf(seen);
  if (!address) throw new WorkspaceNotInState(seen.status, 'only one on a node can be rebuilt');
  const { check, renewed } = await requireRepository(source, own, now);
  const writes = [
    {
      update: workspaceChange({
        workspaceId,
        move: 'rebuild',
        to: 'rebuilding',
        set: check,
        when: { equals: { userId, generation }, absent: ['deletion'] },
        now,
      }),
    },
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
  ];
  const claimed = await transactWithGrant(source.table, writes, renewed);
  if (!claimed.committed) throw new WorkspaceNotInState(seen.status, 'another request was faster');
  try {
    await remakeOnNode({ keys, address, now, timeoutMs }, seen, { how: 'rebuild', body: {} });
  } catch (error) {
    if (error instanceof NodeRefused || error instanceof NodeUnreachable) {
      const back = seen.status === 'recovering' ? 'recovering' : 'running';
      const when = { equals: { generation } };
      await changeWorkspace(source.table, { workspaceId, move: 'notRebuilt', to: back, when, now });
    }
    throw error;
  }
}
