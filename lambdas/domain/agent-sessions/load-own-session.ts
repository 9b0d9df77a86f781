import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { requireOwn } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { AgentSession, agentSessionKey } from './agent-session.js';

export interface OwnSession {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
}

/**
 * A person's workspace and one of its agent sessions. One table call.
 *
 * @throws {WorkspaceNotFound} the workspace is not theirs
 */
export async function loadOwnSession(table: Table, { workspaceId, sessionId, userId }: OwnSession) {
  const Keys = [workspaceKey(workspaceId), agentSessionKey(workspaceId, sessionId)];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Unavailable('The table is busy; try again');
  const items = Responses?.[table.name] ?? [];
  const found = items.find(({ entity }) => entity === 'workspace');
  const session = items.find(({ entity }) => entity === 'agent-session');
  return {
    workspace: requireOwn(found && Workspace.parse(found), workspaceId, userId),
    session: session && AgentSession.parse(session),
  };
}
