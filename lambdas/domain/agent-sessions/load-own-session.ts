import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { requireOwnWorkspace } from '../workspaces/find-workspace.js';
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
  const keys = { workspace: workspaceKey(workspaceId), session: agentSessionKey(workspaceId, sessionId) };
  const find = await getItems(table, Object.values(keys));
  const found = find(keys.workspace);
  const session = find(keys.session);
  return {
    workspace: requireOwnWorkspace(found && Workspace.parse(found), workspaceId, userId),
    session: session && AgentSession.parse(session),
  };
}
