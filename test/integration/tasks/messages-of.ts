import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lambdas/shared/table.js';

/** What was said in a chat, in its order, as it is stored. */
export async function messagesOf(table: Table, chatId: string) {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :message)',
      ExpressionAttributeValues: { ':chat': `CHAT#${chatId}`, ':message': 'MESSAGE#' },
    }),
  );
  return Items;
}
