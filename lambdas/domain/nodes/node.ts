import * as z from 'zod/mini';
import { CertificateReport, Heartbeat } from '../../../protocol/heartbeat.js';
import { Ulid } from '../../../protocol/ids.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { Resources } from './instance-types.js';
import { nodeStatuses, removalModes } from './node-status.js';
import { Reservation } from './reservation.js';

export const Node = z.object({
  nodeId: Ulid,
  userId: Ulid,
  name: z.string(),
  status: z.enum(nodeStatuses),
  role: z.enum(['workspace', 'standalone']),
  /** How many workspaces it may hold, whatever they take. */
  capacity: z.int(),
  /**
   * `slotOf` of each workspace on it. DynamoDB has no empty sets: an empty node has no attribute.
   */
  slots: z.optional(z.set(z.string())),
  /** When a slot was last claimed or released: an empty node is idle since then. */
  slotsChangedAt: z.iso.datetime(),
  /** The workspace that left it last. */
  lastWorkspaceId: z.optional(Ulid),
  /** What each slot takes. An entry without its slot is of a workspace that has left. */
  reservations: z.optional(z.record(z.string(), Reservation)),
  /** Grows with each claim, so that a claim is computed from what is on the node. */
  claims: z.optional(z.int()),
  /** The type of its machine: as planned, then as launched. */
  instanceType: z.optional(z.string()),
  /** What its workspaces can take of the machine. */
  resources: z.optional(Resources),
  /**
   * Set when a slot was released without confirmation of the node, or by a newer release. A retired
   * node gets no workspaces, and the sweep removes it once it is empty.
   */
  retiredAt: z.optional(z.iso.datetime()),
  /** Its agent is not of the current release. */
  retiredFor: z.optional(z.literal('agent_build')),
  launchedFor: Ulid,
  instanceId: orNull(z.string()),
  /** Host name or address of its HTTPS server. */
  host: orNull(z.string()),
  ipAddress: orNull(z.string()),
  port: orNull(z.int()),
  certificatePem: orNull(z.string()),
  /** Browsers get this, as its last heartbeat reports; absent if it orders no certificate. */
  certificate: z.optional(CertificateReport),
  agentVersion: orNull(z.string()),
  agentReadyAt: orNull(z.iso.datetime()),
  lastHeartbeatAt: orNull(z.iso.datetime()),
  lastMetrics: orNull(Heartbeat.shape.metrics),
  removal: z.optional(
    z.object({ mode: z.enum(removalModes), attempt: z.int(), claimedAt: z.iso.datetime() }),
  ),
  /**
   * When EC2 reported the instance terminated, or that there never was one: the only proof of its
   * end.
   */
  terminationConfirmedAt: z.optional(z.iso.datetime()),
  errorMessage: orNull(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Node = z.infer<typeof Node>;

export const nodeKey = (nodeId: string) => ({ pk: `NODE#${nodeId}`, sk: 'NODE' });
export const ownerOfNodes = (userId: string): string => `USER#${userId}#NODES`;

/** Takes a deleted node out of the list of its owner. */
export const unlistedNode = { ownerPk: null, ownerSk: null } as const;

export const nodeItem = (node: Node) => ({
  ...nodeKey(node.nodeId),
  entity: 'node',
  schemaVersion: 1,
  ownerPk: ownerOfNodes(node.userId),
  ownerSk: node.nodeId,
  parentPk: `NODE#${node.nodeId}`,
  parentSk: 'NODE',
  ...withoutNulls(node),
});

/** Address of the agent, once it is known. */
export const nodeUrl = ({ host, port }: Pick<Node, 'host' | 'port'>): string | null =>
  host === null || port === null ? null : `https://${host}:${port}`;
