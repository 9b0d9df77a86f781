import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lambdas/shared/table.js';

/** The stored messages of a chat, in sequence. */
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
