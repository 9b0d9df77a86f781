import * as z from 'zod/mini';
import { Heartbeat } from '../../../protocol/callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import { nodeStatuses, removalModes } from './node-status.js';

export const Node = z.object({
  nodeId: Ulid,
  userId: Ulid,
  name: z.string(),
  status: z.enum(nodeStatuses),
  role: z.enum(['workspace', 'standalone']),
  /** How many workspaces it may hold. */
  capacity: z.int(),
  /** Who holds a place: `slotOf` of each. DynamoDB has no empty sets, so an empty node has no attribute. */
  slots: z.optional(z.set(z.string())),
  /** When a place was last taken or given back: an empty node has been idle since then. */
  slotsChangedAt: z.iso.datetime(),
  /** The one holder that wants to be alone, while it holds its place. */
  exclusiveFor: z.optional(z.string()),
  /**
   * How many workspaces may share it, where that is less than its capacity: as the strictest of its holders has said since it
   * was last empty.
   */
  tenantLimit: z.optional(z.int()),
  /**
   * It gets no further workspace, and goes when it is empty. A place on it was given back without its word, so that it
   * may hold more than its places say; or a newer release took over.
   */
  retiredAt: z.optional(z.iso.datetime()),
  launchedFor: Ulid,
  instanceId: z.nullable(z.string()),
  /** Host name or address at which it serves HTTPS, and its port. */
  host: z.nullable(z.string()),
  ipAddress: z.nullable(z.string()),
  port: z.nullable(z.int()),
  certificatePem: z.nullable(z.string()),
  agentVersion: z.nullable(z.string()),
  agentReadyAt: z.nullable(z.iso.datetime()),
  lastHeartbeatAt: z.nullable(z.iso.datetime()),
  lastMetrics: z.nullable(Heartbeat.shape.metrics),
  removal: z.optional(
    z.object({ mode: z.enum(removalModes), attempt: z.int(), claimedAt: z.iso.datetime() }),
  ),
  /** EC2 said that the instance is terminated, or that there never was one. The only proof that it is gone. */
  terminationConfirmedAt: z.optional(z.iso.datetime()),
  errorMessage: z.nullable(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Node = z.infer<typeof Node>;

export const nodeKey = (nodeId: string) => ({ pk: `NODE#${nodeId}`, sk: 'NODE' });
export const ownerOfNodes = (userId: string): string => `USER#${userId}#NODES`;

export const nodeItem = (node: Node) => ({
  ...nodeKey(node.nodeId),
  entity: 'node',
  schemaVersion: 1,
  ownerPk: ownerOfNodes(node.userId),
  ownerSk: node.nodeId,
  parentPk: `NODE#${node.nodeId}`,
  parentSk: 'NODE',
  ...node,
});

/** The ids of a user's nodes that exist, as a set in one item: that is how their number is bounded exactly. */
export const nodeQuotaKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'NODEQUOTA' });
/** The same of all nodes of the deployment. */
export const deploymentNodesKey = { pk: 'DEPLOYMENT', sk: 'NODEQUOTA' };

/** Where the node's agent answers, once it is known. */
export const nodeUrl = ({ host, port }: Pick<Node, 'host' | 'port'>): string | null =>
  host === null || port === null ? null : `https://${host}:${port}`;
