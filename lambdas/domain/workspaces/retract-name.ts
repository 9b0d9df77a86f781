import { deleteRecord, type NodeZone, workspaceHost } from '../nodes/node-dns.js';
import type { Workspace } from './workspace.js';
import { isResting } from './workspace-status.js';

/**
 * Takes the name of a workspace that has come to rest out of DNS: its address will be somebody else's one day.
 * Repeatable.
 */
export async function retractName(
  zone: NodeZone | undefined,
  workspace: Workspace | undefined,
): Promise<void> {
  if (!zone || !workspace?.namedAddress || !isResting(workspace.status)) return;
  await deleteRecord(zone, workspaceHost(workspace.workspaceId, zone.domain), workspace.namedAddress);
}
