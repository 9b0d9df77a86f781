import * as z from 'zod/mini';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { NodeGone } from './errors.js';
import { findNodeWithWorkspaces } from './find-node.js';

/** When a node said last that agents of a project have sessions on it: one record for all of them. */
export const AgentHeartbeat = z.object({ receivedAt: z.iso.datetime() });

/** Nodes beat every minute; what follows sooner is a repeat, and tells nothing new. */
const repeatMs = 30_000;

/** Nobody asks for an older one. */
const lifeSeconds = 24 * 60 * 60;

export const agentHeartbeatKey = (nodeId: string, projectId: string) => ({
  pk: `NODE#${nodeId}`,
  sk: `AGENTS#${projectId}`,
});

export interface AgentHeartbeatReport {
  readonly nodeId: string;
  readonly projectId: string;
  /** The workspace that says so, where it is not the node itself. */
  readonly life: WorkspaceGeneration | undefined;
  readonly now: Date;
}

/**
 * The agents of a project live on a node. At most two table calls.
 *
 * @throws {NodeGone}
 * @throws {NotFound} the node has no workspace of the project
 * @throws {WorkspaceNotFound | StaleGeneration} who says so is not there any more
 */
export async function recordAgentHeartbeat(table: Table, beat: AgentHeartbeatReport): Promise<void> {
  const { nodeId, projectId, life, now } = beat;
  const { node, workspaces } = await findNodeWithWorkspaces(table, nodeId);
  if (!node || node.status === 'deleted') throw new NodeGone(nodeId);
  if (life) {
    const teller = workspaces.find(({ workspaceId }) => workspaceId === life.workspaceId);
    requireGeneration(teller, life);
  }
  const told = workspaces.filter(({ workspaceId }) => !life || workspaceId === life.workspaceId);
  if (!told.some((workspace) => workspace.projectId === projectId)) throw new NotFound('Project');
  const item = {
    ...agentHeartbeatKey(nodeId, projectId),
    entity: 'agent-heartbeat',
    schemaVersion: 1,
    receivedAt: now.toISOString(),
    expiresAt: Math.floor(now.getTime() / 1000) + lifeSeconds,
  };
  const before = new Date(now.getTime() - repeatMs).toISOString();
  await putItem(table, item, { absentOrBefore: { receivedAt: before } });
}
