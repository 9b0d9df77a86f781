import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { maxInboxCount } from '../../../protocol/live.js';
import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryFilteredPage } from '../cursors/query-page.js';
import { deleteItems } from '../records/batch-items.js';
import { InboxItem, inboxKey, inboxOf, inboxPartition } from './inbox-item.js';

interface InboxPage {
  readonly items: readonly InboxItem[];
  /** Of the whole inbox, on its first page. */
  readonly count: number | null;
  readonly nextCursor: string | null;
}

/** What waits for a person, newest first, with its number. One table call. */
export async function listInbox(
  table: Table,
  userId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<InboxPage> {
  const { items, found, nextCursor } = await queryFilteredPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :inbox',
      ExpressionAttributeValues: { ':inbox': inboxOf(userId) },
      ScanIndexForward: false,
      // The first page counts too, with the same call.
      Limit: maxInboxCount,
    },
    { ...page, query: `inbox of ${userId}` },
  );
  const count = page.cursor === undefined ? found : null;
  return { items: items.map((item) => InboxItem.parse(item)), count, nextCursor };
}

/** The number of items, up to `maxInboxCount`. One table call. */
export async function countInbox(table: Table, userId: string): Promise<number> {
  const { Count = 0 } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :inbox',
      ExpressionAttributeValues: { ':inbox': inboxPartition(userId) },
      Select: 'COUNT',
      Limit: maxInboxCount,
      ConsistentRead: true,
    }),
  );
  return Count;
}

/** Takes the items of a project out of the inbox of its former member. Repeatable. */
export async function leaveProject(table: Table, userId: string, projectId: string): Promise<void> {
  let position: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :inbox',
        FilterExpression: 'projectId = :project',
        ExpressionAttributeValues: { ':inbox': inboxPartition(userId), ':project': projectId },
        ConsistentRead: true,
        ExclusiveStartKey: position,
      }),
    );
    await deleteItems(
      table,
      Items.map((item) => inboxKey(userId, InboxItem.parse(item).itemId)),
    );
    position = LastEvaluatedKey;
  } while (position);
}
