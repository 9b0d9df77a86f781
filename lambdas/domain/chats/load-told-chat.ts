import type { Table } from '../../shared/table.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { Chat, chatKey } from './chat.js';
import { ChatNotFound, ChatNotLinked } from './errors.js';

export interface Told extends WorkspaceGeneration {
  readonly nodeId: string;
  readonly chatId: string;
}

/**
 * The chat that a node tells of, if the life of the workspace that tells is the present one and the chat is its own. One table
 * call, which reads what else is asked for.
 *
 * @throws {WorkspaceNotFound | StaleGeneration | ChatNotFound | ChatNotLinked}
 */
export async function loadToldChat(
  table: Table,
  { chatId, ...life }: Told,
  more: readonly Key[] = [],
): Promise<{ readonly chat: Chat; readonly find: Find }> {
  const { workspaceId } = life;
  const find = await getItems(table, [workspaceKey(workspaceId), chatKey(chatId), ...more]);
  const workspace = find(workspaceKey(workspaceId));
  requireGeneration(workspace && Workspace.parse(workspace), life);
  const found = find(chatKey(chatId));
  if (!found) throw new ChatNotFound();
  const chat = Chat.parse(found);
  if (chat.workspaceId !== workspaceId) throw new ChatNotLinked();
  return { chat, find };
}
