import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { getItems } from '../records/get-items.js';
import { Prompt, promptKey } from './prompt.js';
import { WaitingPrompt, waitingPrefix } from './waiting-prompt.js';

/** As many as one batch reads, and an answer holds. */
const most = 50;

/** The first of a chat's queue, in the order in which they are delivered. Two table calls, or one if there are none. */
export async function listWaitingPrompts(table: Table, chatId: string): Promise<readonly Prompt[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :waiting)',
      ExpressionAttributeValues: { ':chat': chatKey(chatId).pk, ':waiting': waitingPrefix },
      ConsistentRead: true,
      Limit: most,
    }),
  );
  if (Items.length === 0) return [];
  const keys = Items.map((item) => promptKey(chatId, WaitingPrompt.parse(item).deliveryId));
  const find = await getItems(table, keys);
  return keys.flatMap((key) => {
    const item = find(key);
    return item ? [Prompt.parse(item)] : [];
  });
}
