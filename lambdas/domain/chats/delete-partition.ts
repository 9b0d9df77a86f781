import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/batch-items.js';
import { type ContentDeps, deleteContents } from './content-uploads.js';

export interface DeletionPass extends ContentDeps {
  readonly table: Table;
}

/**
 * Deletes the items of a chat or of a task's events, with the contents of the messages, which go
 * first. Returns how many items it has deleted: as many as given, when more may be left.
 */
export async function deletePartition(pass: DeletionPass, pk: string, most: number): Promise<number> {
  const { table } = pass;
  let deleted = 0;
  while (deleted < most) {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: 'pk, sk, projectId, chatId, messageId, whole',
        Limit: Math.min(100, most - deleted),
        ConsistentRead: true,
      }),
    );
    if (Items.length === 0) return deleted;
    await deleteContents(pass, Items);
    await deleteItems(
      table,
      Items.map(({ sk }) => ({ pk, sk: String(sk) })),
    );
    deleted += Items.length;
  }
  return deleted;
}
