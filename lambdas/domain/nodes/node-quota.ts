import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { existingItems, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import type { Conditions } from '../records/conditions.js';
import type { Write } from '../records/transact.js';
import { type LaunchCooldowns, launchCooldownKey, launchCooldowns } from './launch-cooldown.js';
import { Node, nodeKey } from './node.js';

/** The ids of a person's nodes, as a set in one item: its condition bounds their number exactly. */
export const nodeQuotaKey = (userId: string): Key => ({ pk: `USER#${userId}`, sk: 'NODEQUOTA' });
/** The ids of all nodes of the deployment. */
export const deploymentNodesKey: Key = { pk: 'DEPLOYMENT', sk: 'NODEQUOTA' };

const NodeQuota = z.object({
  nodeIds: z._default(z.set(z.string()), new Set()),
  launches: z._default(z.int(), 0),
});

/** The nodes of a person that count towards the quota. */
export interface Fleet {
  readonly nodes: readonly Node[];
  readonly count: number;
  /** How many were ever launched: another launch changes it. */
  readonly launches: number;
  /** Of the whole deployment. */
  readonly cooldowns: LaunchCooldowns;
}

/** Two consistent reads: the index can miss a node that was launched a moment ago. */
export async function readFleet(table: Table, userId: string): Promise<Fleet> {
  const findFirst = await getItems(table, [nodeQuotaKey(userId), launchCooldownKey]);
  const { nodeIds, launches } = NodeQuota.parse(findFirst(nodeQuotaKey(userId)) ?? {});
  const cooldowns = launchCooldowns(findFirst(launchCooldownKey));
  const keys = [...nodeIds].map(nodeKey);
  if (keys.length === 0) return { nodes: [], count: 0, launches, cooldowns };
  const nodes = (await existingItems(table, keys)).map((item) => Node.parse(item));
  return { nodes, count: keys.length, launches, cooldowns };
}

/**
 * Counts a new node towards a quota. With `since`, only if no other node was launched after the
 * fleet was read: that node may have room.
 */
export function countNode(
  key: Key,
  nodeId: string,
  { limit, since }: { readonly limit: number; readonly since?: Fleet },
): Write {
  return {
    update: {
      key,
      set: { entity: 'node-quota', schemaVersion: 1 },
      add: { nodeIds: new Set([nodeId]), launches: 1 },
      when: { fewerThan: { nodeIds: limit }, ...(since ? noLaunchSince(since) : {}) },
    },
  };
}

const noLaunchSince = ({ launches }: Fleet): Conditions =>
  launches === 0 ? { absent: ['launches'] } : { equals: { launches } };

/** The node is gone, as far as the quotas are concerned. Repeatable. */
export const uncountNode = (key: Key, nodeId: string): Write => ({
  update: { key, takeOut: { nodeIds: new Set([nodeId]) }, when: {} },
});
