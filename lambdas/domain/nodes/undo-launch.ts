import type { Table } from '../../shared/table.js';
import { isRefusedRemoval } from './errors.js';
import { findNode } from './find-node.js';
import type { Node } from './node.js';
import { beginRemoval } from './removal.js';

interface LaunchUndo {
  readonly nodeId: string;
  /** Only a node that was launched for this workspace. */
  readonly launchedFor: string;
  /** A person stopped the workspace: the launch itself did not fail. */
  readonly isStopped: boolean;
  /** The node may have files of an earlier generation, and is kept if it was ever ready. */
  readonly mayHaveFiles: boolean;
  readonly now: Date;
}

/**
 * Begins the removal of a node whose launch is undone; undefined when the node is kept. A node that
 * was ready is kept for the other workspaces on it. One that was never ready is removed also with
 * their claims, and they are placed again, unless its instance boots and only the first workspace
 * was stopped. Repeatable.
 */
export async function undoLaunch(table: Table, undo: LaunchUndo): Promise<Node | undefined> {
  const { nodeId, launchedFor, isStopped, mayHaveFiles, now } = undo;
  const request = { nodeId, launchedFor, mode: 'delete', now } as const;
  const empty = mayHaveFiles ? undefined : await beginRemoval(table, request).catch(kept);
  if (empty) return empty;
  if (isStopped && (await findNode(table, nodeId))?.instanceId) return undefined;
  return beginRemoval(table, { ...request, neverReady: true }).catch(kept);
}

function kept(error: unknown): undefined {
  if (!isRefusedRemoval(error)) throw error;
}
