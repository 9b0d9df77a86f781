import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';

/**
 * Names a record that is between two states, so that the sweep finds it without reading the whole
 * table. It is written before the record changes. Only the sweep deletes it, once the record has
 * reached a final state.
 */
export const PendingReconcile = z.object({
  kind: z.enum(['WORKSPACE', 'NODE', 'TASK']),
  id: z.string(),
  /** New with each write: the sweep deletes only the marker that it has read. */
  marker: z.string(),
});

export type PendingReconcile = z.infer<typeof PendingReconcile>;

const partition = 'PENDINGRECONCILE';

export const pendingReconcileItem = ({ kind, id, marker }: PendingReconcile) => ({
  pk: partition,
  sk: `${kind}#${id}`,
  entity: 'pending-reconcile',
  schemaVersion: 1,
  kind,
  id,
  marker,
});

/**
 * One page of a few hundred. The next sweep sees the rest, as this one deletes what has reached a
 * final state.
 */
export async function listPendingReconciles(table: Table): Promise<readonly PendingReconcile[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => PendingReconcile.parse(item));
}

export async function clearPendingReconcile(
  table: Table,
  { kind, id, marker }: PendingReconcile,
): Promise<void> {
  await table.client
    .send(
      new DeleteCommand({
        TableName: table.name,
        Key: { pk: partition, sk: `${kind}#${id}` },
        ConditionExpression: 'marker = :marker',
        ExpressionAttributeValues: { ':marker': marker },
      }),
    )
    .catch((error: unknown) => {
      // Another write has renewed the marker since the sweep read it.
      if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
    });
}
