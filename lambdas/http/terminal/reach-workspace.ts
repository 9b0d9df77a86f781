import { findAddressForMember } from '../../domain/node-client/node-address.js';
import { workspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { isAsleep, type Workspace } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { Caller } from '../../edge/require-session.js';
import { type WakeCall, wakeWorkspace } from '../workspaces/wake-workspace.js';

interface Reached {
  readonly workspace: Workspace;
  readonly nodeId: string;
  readonly nodeUrl: string;
  /** Claims of a token for this person at this generation of the workspace. */
  readonly claims: {
    readonly sub: string;
    readonly workspace: string;
    readonly node: string;
    readonly generation: number;
    readonly session: string;
  };
}

/** About as long as a wake on a running node takes. */
const retryAfterSeconds = 3;

/** The answer while a sleeping workspace wakes. */
export const waking = {
  status: 202,
  body: { status: 'waking' },
  headers: { 'retry-after': String(retryAfterSeconds) },
} as const;

/**
 * The person's own workspace with the address of its node. Begins the wake of a sleeping one and
 * returns null.
 *
 * @throws {workspaceNotInState} it does not run, or was evicted
 */
export async function reachWorkspace(
  call: WakeCall,
  workspaceId: string,
  { userId, sessionHash }: Pick<Caller, 'userId' | 'sessionHash'>,
): Promise<Reached | null> {
  const workspace = await findOwnWorkspace(call.table, workspaceId, userId);
  const { status, nodeId, generation, projectId } = workspace;
  // A browser that connects again is no reason to start it: a person or a message is.
  if (isAsleep(workspace) && status !== 'evicted') {
    await wakeWorkspace(call, workspace);
    return null;
  }
  if (!isUsable(status) || !nodeId)
    throw workspaceNotInState(status, 'Wait until the workspace is running, or restart it.');
  // Reads the row of the node, because a restarted agent may have another port.
  const { url: nodeUrl } = await findAddressForMember(call.table, nodeId, { projectId, userId });
  const claims = { sub: userId, workspace: workspaceId, node: nodeId, generation, session: sessionHash };
  return { workspace, nodeId, nodeUrl, claims };
}
