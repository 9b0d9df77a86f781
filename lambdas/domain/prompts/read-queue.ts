import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import type { Item } from '../records/batch-items.js';
import { loneOf } from './lone-prompt.js';
import { WaitingPrompt, waitingPrefix } from './waiting-prompt.js';

/**
 * The first that wait in a chat, in the order in which they are worked off, and after all of them what has yet to be
 * acknowledged. One table call.
 */
export async function readQueue(
  table: Table,
  chat: Pick<Chat, 'chatId' | 'lone'>,
  limit: number,
): Promise<readonly WaitingPrompt[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :waiting)',
      ExpressionAttributeValues: { ':chat': chatKey(chat.chatId).pk, ':waiting': waitingPrefix },
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  const lone = loneOf(chat);
  const waiting = lone ? [...Items, lone].sort(bySk) : Items;
  return waiting.slice(0, limit).map((item) => WaitingPrompt.parse(item));
}

const bySk = (one: Item, other: Item): number => (String(one.sk) < String(other.sk) ? -1 : 1);
