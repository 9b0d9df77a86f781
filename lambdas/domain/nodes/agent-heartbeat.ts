import * as z from 'zod/mini';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { NodeGone } from './errors.js';
import { findNodeWithWorkspaces } from './find-node.js';

/**
 * The last report that agents of a project have sessions on the node: one record for all of them.
 */
export const AgentHeartbeat = z.object({ receivedAt: z.iso.datetime() });

/** Nodes report every minute; an earlier report is a repeat. */
const repeatMs = 30_000;

/** Nobody asks for an older one. */
const keptSeconds = 24 * 60 * 60;

export const agentHeartbeatKey = (nodeId: string, projectId: string) => ({
  pk: `NODE#${nodeId}`,
  sk: `AGENTS#${projectId}`,
});

interface AgentHeartbeatReport {
  readonly nodeId: string;
  readonly projectId: string;
  /** The reporting workspace, if it is not the node itself. */
  readonly reporter: WorkspaceGeneration | undefined;
  readonly now: Date;
}

/**
 * Stores that agents of a project run on a node. At most two table calls.
 *
 * @throws {NodeGone} the node is removed
 * @throws {NotFound} the node has no workspace of the project
 * @throws {workspaceNotFound | StaleGeneration} the reporting workspace is gone
 */
export async function recordAgentHeartbeat(table: Table, report: AgentHeartbeatReport): Promise<void> {
  const { nodeId, projectId, reporter, now } = report;
  const { node, workspaces } = await findNodeWithWorkspaces(table, nodeId);
  if (!node || node.status === 'deleted') throw new NodeGone(nodeId);
  if (reporter) {
    const workspace = workspaces.find(({ workspaceId }) => workspaceId === reporter.workspaceId);
    requireGeneration(workspace, reporter);
  }
  const reported = workspaces.filter(({ workspaceId }) => !reporter || workspaceId === reporter.workspaceId);
  if (!reported.some((workspace) => workspace.projectId === projectId)) throw new NotFound('Project');
  const item = {
    ...agentHeartbeatKey(nodeId, projectId),
    entity: 'agent-heartbeat',
    schemaVersion: 1,
    receivedAt: now.toISOString(),
    expiresAt: Math.floor(now.getTime() / 1000) + keptSeconds,
  };
  const before = new Date(now.getTime() - repeatMs).toISOString();
  await putItem(table, item, { absentOrBefore: { receivedAt: before } });
}
