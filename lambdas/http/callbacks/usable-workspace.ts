import { AgentSession, agentSessionKey } from '../../domain/agent-sessions/agent-session.js';
import { gitTokenKey, StoredGitToken } from '../../domain/code-host/git-token.js';
import { getItems } from '../../domain/records/get-items.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { findWorkspace, requireLife } from '../../domain/workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { ByWorkspace } from '../../edge/workspace-callback-route.js';
import { NotFound } from '../../shared/errors.js';

/**
 * The workspace that calls, which must live: what is being stopped or has failed needs no key any more. One table call.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspace(call: ByWorkspace): Promise<Workspace> {
  return requireUsable(await findWorkspace(call.table, call.workspaceId), call);
}

/**
 * The same, with a session of its own. One table call.
 *
 * @throws {NotFound | StaleGeneration} also when it has no such session, or that has ended
 */
export async function usableSession(
  call: ByWorkspace,
  agentSessionId: string,
): Promise<{ readonly workspace: Workspace; readonly session: AgentSession }> {
  const { table, workspaceId, generation } = call;
  const keys = {
    workspace: workspaceKey(workspaceId),
    session: agentSessionKey(workspaceId, agentSessionId),
  };
  const find = await getItems(table, Object.values(keys));
  const [found, item] = [find(keys.workspace), find(keys.session)];
  const workspace = requireUsable(found && Workspace.parse(found), call);
  const session = item && AgentSession.parse(item);
  if (session?.status !== 'running' || session.generation !== generation) throw new NotFound('Session');
  return { workspace, session };
}

/**
 * The same, with the git token that it was given last. One table call.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspaceWithToken(call: ByWorkspace) {
  const { table, workspaceId } = call;
  const keys = { workspace: workspaceKey(workspaceId), token: gitTokenKey(workspaceId) };
  const find = await getItems(table, Object.values(keys));
  const [found, token] = [find(keys.workspace), find(keys.token)];
  return {
    workspace: requireUsable(found && Workspace.parse(found), call),
    stored: token && StoredGitToken.parse(token),
  };
}

function requireUsable(
  found: Workspace | undefined,
  { workspaceId, nodeId, generation }: ByWorkspace,
): Workspace {
  const workspace = requireLife(found, { workspaceId, nodeId, generation });
  if (workspace.status !== 'provisioning' && !isUsable(workspace.status))
    throw new StaleGeneration(workspaceId, generation);
  return workspace;
}
