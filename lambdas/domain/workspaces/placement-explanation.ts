import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { PlacementStrategy } from '../nodes/placement-strategy.js';

export const hostCodes = [
  'chosen',
  /** It has room; the strategy prefers the chosen node. */
  'ranked_lower',
  /** It has room, which belongs to workspaces that wait for a longer time. */
  'kept_for_queue',
  'not_requested',
  /** The node that evicted it. */
  'evicted_here',
  'other_agent_build',
  'retired',
  'not_running',
  'unhealthy',
  'saturated',
  'at_capacity',
  'exclusive',
  'co_tenants',
  'cpu_full',
  'memory_full',
  'disk_full',
] as const;

export const HostFinding = z.object({
  nodeId: Ulid,
  name: z.string(),
  code: z.enum(hostCodes),
  /** The same in words. */
  reason: z.string(),
});
export type HostFinding = z.infer<typeof HostFinding>;

/** The hosts of an explanation are bounded: it is part of the row of the workspace. */
export const maxExplainedHosts = 20;

/** Why an attempt to place a workspace chose a node, or none. */
export const PlacementExplanation = z.object({
  at: z.iso.datetime(),
  outcome: z.enum(['running_node', 'node_in_launch', 'new_node', 'waiting']),
  /** The chosen node. */
  nodeId: z.nullable(Ulid),
  /** Of a new node: the smallest type that holds the workspace. */
  instanceType: z.nullable(z.string()),
  strategy: PlacementStrategy,
  /** The nodes of the owner that were looked at, the chosen one first; at most 20. */
  hosts: z.array(HostFinding).check(z.maxLength(maxExplainedHosts)),
  /** How many more were looked at. */
  moreHosts: z.int(),
  /** Why the reservation is more than the launch settings request. */
  note: z.optional(z.string()),
});
export type PlacementExplanation = z.infer<typeof PlacementExplanation>;
