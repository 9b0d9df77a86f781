import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { Chat, chatItem, chatKey, newChat } from '../../../lambdas/domain/chats/chat.js';
import { Message } from '../../../lambdas/domain/chats/message.js';
import { type Allowed, allowSystem } from '../../../lambdas/domain/policy/allow.js';
import { type Member, memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { Prompt, promptKey } from '../../../lambdas/domain/prompts/prompt.js';
import { readQueue } from '../../../lambdas/domain/prompts/queue.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import type { PromptNode } from './prompt-node.js';

/** Other tests check who may prompt the chat. */
type PromptableChat = Allowed<'chat.prompt', Chat>;

/** A chat with an agent session, with the overrides of a test. */
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

export async function putChat(table: Table, overrides: Partial<Chat> = {}): Promise<PromptableChat> {
  const chat = aChat(overrides);
  await putItem(table, chatItem(chat));
  return allowSystem('chat.prompt', chat);
}

/** A prompt of a person, with the overrides of a test. */
export const aPrompt = (overrides: Partial<PromptRequest> = {}): PromptRequest => ({
  deliveryId: newId(),
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

export async function readChat(table: Table, chatId: string): Promise<PromptableChat> {
  const Key = chatKey(chatId);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return allowSystem('chat.prompt', Chat.parse(Item));
}

export async function itemsOf(table: Table, chatId: string, prefix: string) {
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

/** Ids of the waiting prompts, in order of delivery. */
export async function queueOf(table: Table, chatId: string): Promise<readonly string[]> {
  const waiting = await readQueue(table, await readChat(table, chatId), 1_000);
  return waiting.map(({ deliveryId }) => deliveryId);
}

/** The project of a chat, and its creator as a member who may prompt there. */
export async function putMembership(
  table: Table,
  { projectId, userId }: Chat,
  change: Partial<Member> = {},
): Promise<void> {
  const project = aProject({ projectId });
  const member = { projectId, userId, role: 'maintainer', status: 'active', project } as const;
  await putItem(table, projectItem(project));
  await putItem(table, memberItem({ ...member, joinedAt: project.createdAt, ...change }));
}

/** A chat whose agent session is on a node, with the overrides of a test. */
export async function chatOnNode(
  table: Table,
  node: PromptNode,
  overrides: Partial<Chat> = {},
): Promise<Chat> {
  const userId = overrides.userId ?? newId();
  const { workspace } = await placedWorkspace(table, { userId, status: 'running' }, node.stub.place);
  const { workspaceId, generation } = workspace;
  const agentSessionId = newId();
  const chat = await putChat(table, { ...overrides, userId, workspaceId, agentSessionId });
  await putMembership(table, chat);
  const at = new Date().toISOString();
  const session = agentSessionItem({
    agentSessionId,
    workspaceId,
    generation,
    userId,
    projectId: chat.projectId,
    chatId: chat.chatId,
    status: 'running',
    label: null,
    agentType: 'claude-code',
    createdAt: at,
    updatedAt: at,
    stoppedAt: null,
  });
  await putItem(table, session);
  return chat;
}
