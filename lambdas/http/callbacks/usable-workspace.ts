import { AgentSession, agentSessionKey } from '../../domain/agent-sessions/agent-session.js';
import { gitTokenKey, StoredGitToken } from '../../domain/code-host/git-token.js';
import { Grant, grantKey } from '../../domain/code-host/grant.js';
import { type Find, getItems } from '../../domain/records/batch-items.js';
import type { Key } from '../../domain/records/changes.js';
import { isSuspended, userKey } from '../../domain/users/user.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { ByWorkspace } from '../../edge/callback-routes.js';
import { NotFound } from '../../shared/errors.js';

/** Records that are read in the same calls. */
interface Beside {
  readonly workspace?: readonly Key[];
  readonly owner?: (userId: string) => readonly Key[];
}

/**
 * The calling workspace, which must be starting or running and have an active owner: others get no
 * secrets. Two table calls, whatever records are read with it.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspaceWith(
  call: ByWorkspace,
  beside: Beside,
): Promise<{ readonly workspace: Workspace; readonly find: Find }> {
  const key = workspaceKey(call.workspaceId);
  const besideWorkspace = await getItems(call.table, [key, ...(beside.workspace ?? [])]);
  const found = besideWorkspace(key);
  const workspace = requireUsable(found && Workspace.parse(found), call);
  const { workspaceId, generation, userId } = workspace;
  const besideOwner = await getItems(call.table, [userKey(userId), ...(beside.owner?.(userId) ?? [])]);
  // The workspace of a suspended person is being stopped; it gets nothing until then.
  if (isSuspended(besideOwner(userKey(userId)))) throw new StaleGeneration(workspaceId, generation);
  return { workspace, find: (asked) => besideWorkspace(asked) ?? besideOwner(asked) };
}

/** `usableWorkspaceWith` without other records. */
export const usableWorkspace = async (call: ByWorkspace): Promise<Workspace> =>
  (await usableWorkspaceWith(call, {})).workspace;

/**
 * The calling workspace with one of its running agent sessions.
 *
 * @throws {NotFound | StaleGeneration} also when it has no such session, or the session has ended
 */
export async function usableSession(
  call: ByWorkspace,
  agentSessionId: string,
): Promise<{ readonly workspace: Workspace; readonly session: AgentSession }> {
  const key = agentSessionKey(call.workspaceId, agentSessionId);
  const { workspace, find } = await usableWorkspaceWith(call, { workspace: [key] });
  const item = find(key);
  const session = item && AgentSession.parse(item);
  if (session?.status !== 'running' || session.generation !== call.generation) throw new NotFound('Session');
  return { workspace, session };
}

/**
 * The calling workspace, with the session that the agent names.
 *
 * @throws {NotFound | StaleGeneration}
 */
export const callerWithSession = async (
  call: ByWorkspace,
  agentSessionId: string | undefined,
): Promise<{ readonly workspace: Workspace; readonly session: AgentSession | undefined }> =>
  agentSessionId
    ? usableSession(call, agentSessionId)
    : { workspace: await usableWorkspace(call), session: undefined };

/**
 * The calling workspace with its last git token and the grant of its owner on the code host.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspaceWithToken(call: ByWorkspace) {
  const key = gitTokenKey(call.workspaceId);
  const { workspace, find } = await usableWorkspaceWith(call, {
    workspace: [key],
    owner: (userId) => [grantKey(userId)],
  });
  const [token, grant] = [find(key), find(grantKey(workspace.userId))];
  return { workspace, stored: token && StoredGitToken.parse(token), grant: grant && Grant.parse(grant) };
}

function requireUsable(
  found: Workspace | undefined,
  { workspaceId, nodeId, generation }: ByWorkspace,
): Workspace {
  const workspace = requireGeneration(found, { workspaceId, nodeId, generation });
  if (workspace.status !== 'provisioning' && !isUsable(workspace.status))
    throw new StaleGeneration(workspaceId, generation);
  return workspace;
}
