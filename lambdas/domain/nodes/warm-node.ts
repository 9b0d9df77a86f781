import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { changeItem, putItem } from '../records/change-item.js';
import { transact, type Write } from '../records/transact.js';
import { type InstanceType, type Offer, typesHolding } from './instance-types.js';
import { reservationFor } from './reservation.js';

/**
 * launching -> booting -> ready -> claimed (the row is gone, and a node of the same id has the
 * instance), and from each of the first three -> retired; docs/nodes.md has the table.
 */
const warmStatuses = ['launching', 'booting', 'ready', 'retired'] as const;
type WarmStatus = (typeof warmStatuses)[number];

/** An instance of nobody that waits, stopped, to become the node of this id. */
export const WarmNode = z.object({
  nodeId: Ulid,
  status: z.enum(warmStatuses),
  instanceType: z.string(),
  /** Of the parameter before the launch: at the most older than the image that it runs. */
  imageId: z.string(),
  createdAt: z.iso.datetime(),
});
export type WarmNode = z.infer<typeof WarmNode>;

/** The type of waiting instances: what a workspace without requirements of its own launches. */
export const warmTypeOf = (offer: Offer): InstanceType | undefined =>
  typesHolding(reservationFor({}), offer)[0] ?? offer.types[0];

const warmPool = 'WARMPOOL';
const warmNodeKey = (nodeId: string) => ({ pk: warmPool, sk: nodeId });

/** Before its instance is launched, which is found by the id. One table call. */
export async function addWarmNode(table: Table, node: WarmNode): Promise<void> {
  const item = { ...warmNodeKey(node.nodeId), entity: 'warm-node', schemaVersion: 1, ...node };
  await putItem(table, item, { exists: false });
}

/** All rows, the oldest first: there are as many as the deployment keeps. One table call. */
export async function listWarmNodes(table: Table): Promise<readonly WarmNode[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pool',
      ExpressionAttributeValues: { ':pool': warmPool },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => WarmNode.parse(item));
}

/** False when it was claimed or moved first. One table call. */
export async function moveWarmNode(
  table: Table,
  { nodeId, status }: WarmNode,
  to: WarmStatus,
): Promise<boolean> {
  const when = { equals: { status } };
  return (await changeItem(table, { key: warmNodeKey(nodeId), set: { status: to }, when })).changed;
}

/** Forgets it, if it is as it was read: its instance is gone or was never there. One table call. */
export async function forgetWarmNode(table: Table, { nodeId, status }: WarmNode): Promise<void> {
  await transact(table, [{ delete: warmNodeKey(nodeId), when: { equals: { status } } }]);
}

/** Belongs to the transaction that makes the node: no two placements get the same instance. */
export const claimOfWarmNode = (nodeId: string): Write => ({
  delete: warmNodeKey(nodeId),
  when: { equals: { status: 'ready' } },
});

/** The instance of this type that has waited for the longest time. One table call. */
export async function findReadyWarmNode(table: Table, instanceType: string): Promise<WarmNode | undefined> {
  const nodes = await listWarmNodes(table);
  return nodes.find((node) => node.status === 'ready' && node.instanceType === instanceType);
}
