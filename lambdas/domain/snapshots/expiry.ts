import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';

/** Lets the sweep find sleeping workspaces by the time at which their snapshot expires. */
export const SnapshotExpiry = z.object({ workspaceId: z.string(), expiresAt: z.string() });
export type SnapshotExpiry = z.infer<typeof SnapshotExpiry>;

const partition = 'SNAPSHOTEXPIRY';

const expiryKey = ({ workspaceId, expiresAt }: SnapshotExpiry) => ({
  pk: partition,
  sk: `${expiresAt}#${workspaceId}`,
});

export const expiryItem = (expiry: SnapshotExpiry) => ({
  ...expiryKey(expiry),
  entity: 'snapshot-expiry',
  schemaVersion: 1,
  workspaceId: expiry.workspaceId,
  // `expiresAt` would be the TTL of the table.
  dueAt: expiry.expiresAt,
});

/** SESSION_SNAPSHOT_PURGE_BATCH_SIZE */
const batchSize = 250;

/** The expired ones, whether or not the workspace still sleeps. One table call. */
export async function listExpired(table: Table, now: Date): Promise<readonly SnapshotExpiry[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk < :now',
      ExpressionAttributeValues: { ':pk': partition, ':now': now.toISOString() },
      Limit: batchSize,
      ConsistentRead: true,
    }),
  );
  return Items.map(({ workspaceId, dueAt }) => SnapshotExpiry.parse({ workspaceId, expiresAt: dueAt }));
}

export async function clearExpiry(table: Table, expiry: SnapshotExpiry): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: expiryKey(expiry) }));
}
