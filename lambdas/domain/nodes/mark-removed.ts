import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { findNode } from './find-node.js';
import { deploymentNodesKey, nodeKey, nodeQuotaKey } from './node.js';

/** Longer than the tombstones of the workspaces that may have to ask it for their proof. */
const tombstoneSeconds = 60 * 24 * 60 * 60;

/** EC2 has said that the instance is stopped: the node keeps its row and its instance. Repeatable. */
export async function markNodeStopped(table: Table, nodeId: string, now: Date): Promise<void> {
  await transact(table, [
    {
      update: {
        key: nodeKey(nodeId),
        set: { status: 'stopped', host: null, ipAddress: null, port: null, updatedAt: now.toISOString() },
        when: { oneOf: { status: ['stopping', 'stopped'] } },
      },
    },
  ]);
}

/**
 * EC2 has said that the instance is terminated, or that there is none: the node is gone, out of the list and out of
 * its owner's and the deployment's quota. Its tombstone proves to its workspaces that they are gone too. Repeatable.
 */
export async function markNodeDeleted(table: Table, nodeId: string, now: Date): Promise<void> {
  const node = await findNode(table, nodeId);
  if (node?.status !== 'deleting') return;
  const at = now.toISOString();
  const takeOut = { nodeIds: new Set([nodeId]) };
  await transact(table, [
    {
      update: {
        key: nodeKey(nodeId),
        set: {
          status: 'deleted',
          terminationConfirmedAt: at,
          updatedAt: at,
          expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds,
        },
        remove: ['ownerPk', 'ownerSk'],
        when: { oneOf: { status: ['deleting'] } },
      },
    },
    { update: { key: nodeQuotaKey(node.userId), takeOut, when: {} } },
    { update: { key: deploymentNodesKey, takeOut, when: {} } },
  ]);
}
