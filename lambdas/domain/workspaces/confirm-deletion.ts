import type { Table } from '../../shared/table.js';
import type { Node } from '../nodes/node.js';
import { deleteRecords, type NodeZone, namesOf } from '../nodes/node-dns.js';
import { transact } from '../records/transact.js';
import { noWaitingStep, workspaceChange } from './change-workspace.js';
import { releaseSlot } from './release-slot.js';
import { type DeletionProof, notPlaced, unlisted, type Workspace } from './workspace.js';
import { uncountWorkspace } from './workspace-limits.js';
import { isResting } from './workspace-status.js';

/** A request of CreateOnNode ends within the time-out of its function. */
const dispatchSettlesMs = 60_000;

/**
 * The request that creates it on the node may still be in flight: the node's reply proves nothing
 * yet.
 */
export function isBeingDispatched({ dispatchedAt, readyAt }: Workspace, now: Date): boolean {
  if (dispatchedAt === null) return false;
  // An older `readyAt` is of a generation before: a restart does not clear it.
  if (readyAt !== null && readyAt >= dispatchedAt) return false;
  return now.getTime() - Date.parse(dispatchedAt) < dispatchSettlesMs;
}

/**
 * A proof that needs no reply of the node. The status of a node, or its silence, is no proof: only
 * a workspace that was never sent to a node, or a node whose instance EC2 reports terminated.
 */
export function proofWithoutNode(workspace: Workspace, node: Node | undefined): DeletionProof | undefined {
  if (workspace.dispatchedAt === null) return 'workspace_never_started';
  if (node?.terminationConfirmedAt !== undefined) return 'node_runtime_terminated';
  return undefined;
}

/** The row of a deleted workspace stays, so that a repeated DELETE gets the same reply. */
const tombstoneSeconds = 30 * 24 * 60 * 60;

/**
 * Ends the deletion with its proof: out of all lists, slot released. False when another write came
 * first; the saga then tries again. One table call, two when the row of the node is gone.
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
      set: { deletionProof: proof, ...noWaitingStep },
      index: { ...notPlaced, ...unlisted },
      expiresInSeconds: tombstoneSeconds,
      when: { equals: { generation }, present: ['deletion'] },
      now,
    }),
  };
  const uncount = { update: uncountWorkspace(workspace.userId) };
  const outcome = await transact(table, [
    end,
    uncount,
    ...(nodeId ? [releaseSlot(workspace, { nodeId, nodeConfirmed: true, now })] : []),
  ]);
  if (outcome.committed) return true;
  // The row of the node may expire before the workspace: there is no slot to release then.
  if (!nodeId || outcome.refusals[0]?.failed) return false;
  return (await transact(table, [end, uncount])).committed;
}

/**
 * Removes the DNS names of a workspace that does not run: its address will belong to others.
 * Repeatable.
 */
export async function removeDnsName(
  zone: NodeZone | undefined,
  workspace: Workspace | undefined,
): Promise<void> {
  if (!zone || !workspace?.namedAddress || !isResting(workspace.status)) return;
  await deleteRecords(zone, namesOf(workspace, zone.domain), workspace.namedAddress);
}
