import { Forbidden, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { WorkspaceNotRunning } from '../workspaces/errors.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import type { Chat } from './chat.js';

/**
 * The running workspace behind a chat, for the person whose it is: other members read what is said in the chat, and not
 * what lies in the workspace. One table call.
 *
 * @throws {NotFound} the chat has none
 * @throws {Forbidden} it is another member's
 * @throws {WorkspaceNotRunning}
 */
export async function loadChatWorkspace(
  table: Table,
  { workspaceId }: Pick<Chat, 'workspaceId'>,
  userId: string,
): Promise<Workspace> {
  const workspace = workspaceId === null ? undefined : await findWorkspace(table, workspaceId);
  if (!workspace || workspace.status === 'deleted') throw new NotFound('Workspace of the session');
  if (workspace.userId !== userId) throw new Forbidden('The workspace of the session is another member’s');
  if (!isUsable(workspace.status)) throw new WorkspaceNotRunning(workspace.status);
  return workspace;
}
