import type { Table } from '../../shared/table.js';
import type { Node } from '../nodes/node.js';
import { deleteRecord, type NodeZone, workspaceHost } from '../nodes/node-dns.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { releaseSlot } from './release-slot.js';
import type { DeletionProof, Workspace } from './workspace.js';
import { isResting } from './workspace-status.js';

/** A deleted workspace is remembered so that a repeated DELETE is answered as the first was. */
const tombstoneSeconds = 30 * 24 * 60 * 60;

/**
 * Ends the deletion with its proof: out of all lists, its place free. False when another write came between, which
 * the saga then converges. One table call.
 */
export async function confirmDeletion(
  table: Table,
  workspace: Workspace,
  { proof, now }: { readonly proof: DeletionProof; readonly now: Date },
): Promise<boolean> {
  const { workspaceId, generation, nodeId } = workspace;
  const end = {
    update: workspaceChange({
      workspaceId,
      move: 'confirmDeletion',
      to: 'deleted',
      set: { deletionProof: proof, expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds },
      remove: ['parentPk', 'parentSk', 'ownerPk', 'ownerSk', 'taskToken', 'waitingStep'],
      when: { equals: { generation }, present: ['deletion'] },
      now,
    }),
  };
  const outcome = await transact(table, [
    end,
    ...(nodeId ? [releaseSlot(workspace, { nodeId, nodeConfirmed: true, now })] : []),
  ]);
  if (outcome.committed) return true;
  // The node's tombstone may have gone before the workspace: there is no place to give back then.
  if (!nodeId || outcome.refusals[0]?.failed) return false;
  return (await transact(table, [end])).committed;
}

/** A step that sends a workspace to its node ends within its function's time-out. */
const dispatchSettlesMs = 60_000;

/** The request that makes it on the node may still be on its way: the node's word that it has none is worth nothing yet. */
export function isBeingDispatched(workspace: Workspace, now: Date): boolean {
  if (workspace.dispatchedAt === null || workspace.readyAt !== null) return false;
  return now.getTime() - Date.parse(workspace.dispatchedAt) < dispatchSettlesMs;
}

/**
 * The proof that no node needs to give. A node's status alone, or its silence, is none: only a workspace that was
 * never sent to a node, or EC2's word that the node's instance is terminated.
 */
export function proofWithoutNode(workspace: Workspace, node: Node | undefined): DeletionProof | undefined {
  if (workspace.dispatchedAt === null) return 'workspace_never_started';
  if (node?.terminationConfirmedAt !== undefined) return 'node_runtime_terminated';
  return undefined;
}

/**
 * Takes the name of a workspace that has come to rest out of DNS: its address will be somebody else's one day.
 * Repeatable.
 */
export async function removeDnsName(
  zone: NodeZone | undefined,
  workspace: Workspace | undefined,
): Promise<void> {
  if (!zone || !workspace?.namedAddress || !isResting(workspace.status)) return;
  await deleteRecord(zone, workspaceHost(workspace.workspaceId, zone.domain), workspace.namedAddress);
}
