import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { byParent, type Table } from '../../shared/table.js';
import { WaitingPrompt, waitingEverywhere } from './waiting-prompt.js';

/** A bell that was rung for what is due is answered within this, unless it was lost. */
const graceMs = 10_000;

/**
 * Chats in which something has been due for a while. One table call when little is, and one more for each further page of
 * a few thousand.
 */
export async function listDueChats(table: Table, now: Date): Promise<readonly string[]> {
  const chats = new Set<string>();
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :waiting AND parentSk < :due',
      ExpressionAttributeValues: {
        ':waiting': waitingEverywhere,
        ':due': new Date(now.getTime() - graceMs).toISOString(),
      },
    },
  );
  for await (const { Items = [] } of pages)
    for (const item of Items) chats.add(WaitingPrompt.parse(item).chatId);
  return [...chats];
}
