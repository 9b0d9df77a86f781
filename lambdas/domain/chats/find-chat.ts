import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from './chat.js';

/** One table call. */
export async function findChat(table: Table, chatId: string): Promise<Chat | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: chatKey(chatId), ConsistentRead: true }),
  );
  return Item && Chat.parse(Item);
}
