import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound, Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { requireLife } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { AgentSession, agentSessionKey } from './agent-session.js';

export interface TellingSession {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly projectId: string;
  readonly agentSessionId: string;
}

/**
 * The chat of an agent session that its node tells of. Two table calls.
 *
 * @throws {NotFound} the workspace has no such session, or it is of another project or of none
 * @throws {WorkspaceNotFound | StaleGeneration}
 */
export async function loadTellingSession(table: Table, told: TellingSession): Promise<Chat> {
  const { workspaceId, agentSessionId, projectId } = told;
  const Keys = [workspaceKey(workspaceId), agentSessionKey(workspaceId, agentSessionId)];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Unavailable('The table is busy; try again');
  const items = Responses?.[table.name] ?? [];
  const workspace = items.find(({ entity }) => entity === 'workspace');
  requireLife(workspace && Workspace.parse(workspace), told);
  const found = items.find(({ entity }) => entity === 'agent-session');
  const session = found && AgentSession.parse(found);
  if (!session?.chatId || session.projectId !== projectId) throw new NotFound('Session');
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: chatKey(session.chatId), ConsistentRead: true }),
  );
  if (!Item) throw new NotFound('Session');
  return Chat.parse(Item);
}
