import { AgentSession, agentSessionKey } from '../../domain/agent-sessions/agent-session.js';
<<<<<<< HEAD
import { gitTokenKey, StoredGitToken } from '../../domain/code-host/git-token.js';
import { getItems } from '../../domain/records/get-items.js';
=======
import type { Key } from '../../domain/records/changes.js';
import { type Find, getItems } from '../../domain/records/get-items.js';
import { findUser } from '../../domain/users/find-user.js';
import { isSuspended } from '../../domain/users/user.js';
>>>>>>> a130722 (feat(users): suspend people, end own sessions, check the policy again)
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { requireLife } from '../../domain/workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { ByWorkspace } from '../../edge/workspace-callback-route.js';
import { NotFound } from '../../shared/errors.js';

/**
 * The workspace that calls, which must live, and its owner be active: what is being stopped or has failed needs no key any
 * more. `also` names records that are read with it. Two table calls.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspaceWith(
  call: ByWorkspace,
  also: readonly Key[],
): Promise<{ readonly workspace: Workspace; readonly find: Find }> {
  const key = workspaceKey(call.workspaceId);
  const find = await getItems(call.table, [key, ...also]);
  const found = find(key);
  const workspace = requireUsable(found && Workspace.parse(found), call);
  await requireOwner(call, workspace);
  return { workspace, find };
}

/** The same without other records. */
export const usableWorkspace = async (call: ByWorkspace): Promise<Workspace> =>
  (await usableWorkspaceWith(call, [])).workspace;

/**
 * The same, with a session of its own.
 *
 * @throws {NotFound | StaleGeneration} also when it has no such session, or that has ended
 */
export async function usableSession(
  call: ByWorkspace,
  agentSessionId: string,
): Promise<{ readonly workspace: Workspace; readonly session: AgentSession }> {
  const key = agentSessionKey(call.workspaceId, agentSessionId);
  const { workspace, find } = await usableWorkspaceWith(call, [key]);
  const item = find(key);
  const session = item && AgentSession.parse(item);
  if (session?.status !== 'running' || session.generation !== call.generation) throw new NotFound('Session');
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

/** The workspace of a suspended person is stopped; until it is, nothing is handed out to it. */
async function requireOwner({ table }: ByWorkspace, { workspaceId, generation, userId }: Workspace) {
  if (isSuspended(await findUser(table, userId))) throw new StaleGeneration(workspaceId, generation);
}
