import * as z from 'zod/mini';
import { CertificateReport, Heartbeat } from '../../../protocol/heartbeat.js';
import { Ulid } from '../../../protocol/ids.js';
import { type Node, nodeUrl } from '../../domain/nodes/node.js';
import {
  healthyForSeconds,
  nodeHealth,
  nodeStatuses,
  staleForSeconds,
} from '../../domain/nodes/node-status.js';

/** What clients see of a node. */
export const NodeView = z.object({
  id: Ulid,
  name: z.string(),
  status: z.enum(nodeStatuses),
  healthStatus: z.enum(['healthy', 'stale', 'unhealthy']),
  heartbeatStaleAfterSeconds: z.int(),
  heartbeatUnhealthyAfterSeconds: z.int(),
  nodeRole: z.enum(['workspace', 'standalone']),
  instanceId: z.nullable(z.string()),
  ipAddress: z.nullable(z.string()),
  url: z.nullable(z.string()),
  /**
   * The certificate that browsers get: `own` is the node's own, which no browser trusts. Null if
   * the node orders none.
   */
  certificate: z._default(z.nullable(CertificateReport), null),
  agentVersion: z.nullable(z.string()),
  agentReadyAt: z.nullable(z.iso.datetime()),
  lastHeartbeatAt: z.nullable(z.iso.datetime()),
  lastMetrics: z.nullable(Heartbeat.shape.metrics),
  capacity: z.int(),
  activeWorkspaces: z.int(),
  errorMessage: z.nullable(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type NodeView = z.infer<typeof NodeView>;

export const nodeView = (node: Node, now: Date): NodeView =>
  // Every other field has the row's own name; the schema drops what is not in the view.
  NodeView.parse({
    ...node,
    id: node.nodeId,
    healthStatus: nodeHealth(node.lastHeartbeatAt, now),
    heartbeatStaleAfterSeconds: healthyForSeconds,
    heartbeatUnhealthyAfterSeconds: staleForSeconds,
    nodeRole: node.role,
    url: nodeUrl(node),
    activeWorkspaces: node.slots?.size ?? 0,
  });
