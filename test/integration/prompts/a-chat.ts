import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Chat, chatItem, chatKey, newChat } from '../../../lambdas/domain/chats/chat.js';
import { Message } from '../../../lambdas/domain/chats/message.js';
import type { AskedPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { Prompt, promptKey } from '../../../lambdas/domain/prompts/prompt.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../people/a-project.js';

/** A chat with an agent session, with what a test says otherwise. */
export const aChat = (overrides: Partial<Chat> = {}): Chat => ({
  ...newChat(
    {
      chatId: newId(),
      projectId: newId(),
      userId: newId(),
      topic: null,
      workspaceId: newId(),
      taskId: null,
    },
    new Date(),
  ),
  agentSessionId: newId(),
  ...overrides,
});

export async function putChat(table: Table, overrides: Partial<Chat> = {}): Promise<Chat> {
  const chat = aChat(overrides);
  await putItem(table, chatItem(chat));
  return chat;
}

/** What a person sends, with what a test says otherwise. */
export const aPrompt = (overrides: Partial<AskedPrompt> = {}): AskedPrompt => ({
  deliveryId: newId(),
  promptMessageId: newId(),
  sourceKind: 'user_followup',
  senderType: 'human',
  senderId: newId(),
  messageClass: 'deliver',
  content: 'Fix it',
  ...overrides,
});

export async function readPrompt(table: Table, chatId: string, deliveryId: string): Promise<Prompt> {
  const Key = promptKey(chatId, deliveryId);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Prompt.parse(Item);
}

export async function readChat(table: Table, chatId: string): Promise<Chat> {
  const Key = chatKey(chatId);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Chat.parse(Item);
}

async function itemsOf(table: Table, chatId: string, prefix: string) {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': `CHAT#${chatId}`, ':prefix': prefix },
      ConsistentRead: true,
    }),
  );
  return Items;
}

export const messagesOf = async (table: Table, chatId: string): Promise<readonly Message[]> =>
  (await itemsOf(table, chatId, 'MESSAGE#')).map((item) => Message.parse(item));

/** Ids of what waits, in the order in which it is delivered. */
export const queueOf = async (table: Table, chatId: string): Promise<readonly string[]> =>
  (await itemsOf(table, chatId, 'WAITING#')).map(({ deliveryId }) => String(deliveryId));
