import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { WaitingPrompt, waitingPrefix } from './waiting-prompt.js';

/**
 * The first of a chat's queue, in the order in which they are worked off, and after all of them what has yet to be
 * acknowledged. One table call.
 */
export async function readQueue(
  table: Table,
  chatId: string,
  limit: number,
): Promise<readonly WaitingPrompt[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :waiting)',
      ExpressionAttributeValues: { ':chat': chatKey(chatId).pk, ':waiting': waitingPrefix },
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  return Items.map((item) => WaitingPrompt.parse(item));
}
