import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Forbidden, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { workspaceNotRunning, workspaceWaking } from '../workspaces/errors.js';
import { findWorkspace, requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { Chat, chatKey } from './chat.js';
import { chatNotFound, chatNotLinked } from './errors.js';

/** One table call. */
export async function findChat(table: Table, chatId: string): Promise<Chat | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: chatKey(chatId), ConsistentRead: true }),
  );
  return Item && Chat.parse(Item);
}

/**
 * The running workspace of a chat, for its owner. Other members can read the chat, not the
 * workspace. One table call.
 *
 * @throws {NotFound} the chat has no workspace
 * @throws {Forbidden} the workspace belongs to another member
 * @throws {workspaceNotRunning | workspaceWaking}
 */
export async function loadChatWorkspace(
  table: Table,
  { workspaceId }: Pick<Chat, 'workspaceId'>,
  userId: string,
): Promise<Workspace> {
  const workspace = workspaceId === null ? undefined : await findWorkspace(table, workspaceId);
  if (!workspace || workspace.status === 'deleted') throw new NotFound('Workspace of the session');
  if (workspace.userId !== userId) throw new Forbidden('Workspace of the session belongs to another member.');
  if (!isUsable(workspace.status)) throw workspaceNotRunning(workspace.status);
  if (workspace.wake) throw workspaceWaking('sessionId');
  return workspace;
}

export interface ChatReporter extends WorkspaceGeneration {
  readonly nodeId: string;
  readonly chatId: string;
}

/**
 * The chat that a node reports about, if the workspace has the reported generation and the chat
 * belongs to it. `more` keys are read in the same table call. One table call.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | chatNotLinked}
 */
export async function loadReportingChat(
  table: Table,
  { chatId, ...reporter }: ChatReporter,
  more: readonly Key[] = [],
): Promise<{ readonly chat: Chat; readonly find: Find }> {
  const { workspaceId } = reporter;
  const find = await getItems(table, [workspaceKey(workspaceId), chatKey(chatId), ...more]);
  const workspace = find(workspaceKey(workspaceId));
  requireGeneration(workspace && Workspace.parse(workspace), reporter);
  const found = find(chatKey(chatId));
  if (!found) throw chatNotFound();
  const chat = Chat.parse(found);
  if (chat.workspaceId !== workspaceId) throw chatNotLinked();
  return { chat, find };
}
