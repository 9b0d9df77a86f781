import type { Node } from '../nodes/node.js';
import type { DeletionProof, Workspace } from './workspace.js';

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
