import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import type { Table } from '../../../lambdas/shared/table.js';

/** Of the sweep, as it reads it; nothing where there is no mark. */
async function markedUntil(table: Table, chatId: string): Promise<string | undefined> {
  const Key = { pk: `CHAT#${chatId}`, sk: 'CONFIRM' };
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Item && String(Item.parentSk).split('#')[0];
}

/** The chat says when its mark is due, and what is unconfirmed has one, except where the chat has ended with it. */
export async function expectTrueMark(table: Table, chat: Chat): Promise<void> {
  expect(chat.confirmDueAt).toBe(await markedUntil(table, chat.chatId));
  if (chat.unconfirmedId && !chat.shutdownId) expect(chat.confirmDueAt).toBeDefined();
}
