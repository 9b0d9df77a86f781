import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import { formerAddressOf } from '../nodes/node-address.js';
import { remakeOnNode } from '../nodes/node-workspaces.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import type { Workspace } from './workspace.js';

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
 * @throws {NodeRefused | NodeUnreachable}
 */
export async function rebuildOnNode(table: Table, seen: Workspace, needs: RebuildNeeds): Promise<void> {
  const { workspaceId, userId, generation } = seen;
  const { keys, now, timeoutMs } = needs;
  const address = formerAddressOf(seen);
  if (!address) throw new WorkspaceNotInState(seen.status, 'only one on a node can be rebuilt');
  const claimed = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'rebuild',
        to: 'rebuilding',
        when: { equals: { userId, generation }, absent: ['deletion'] },
        now,
      }),
    },
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
  ]);
  if (!claimed.committed) throw new WorkspaceNotInState(seen.status, 'another request was faster');
  try {
    await remakeOnNode({ keys, address, now, timeoutMs }, seen, { how: 'rebuild', body: {} });
  } catch (error) {
    if (error instanceof NodeRefused || error instanceof NodeUnreachable) {
      const back = seen.status === 'recovering' ? 'recovering' : 'running';
      const when = { equals: { generation } };
      await changeWorkspace(table, { workspaceId, move: 'notRebuilt', to: back, when, now });
    }
    throw error;
  }
}
