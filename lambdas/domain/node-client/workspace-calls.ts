import * as z from 'zod/mini';
import {
  type CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  DeleteNodeWorkspaceResult,
  type RestartOrRebuildRequest,
  StopNodeWorkspaceResult,
} from '../../../protocol/node-api.js';
import type { StopForSleep } from '../../../protocol/snapshots.js';
import { NodeRefused } from '../nodes/errors.js';
import type { RestartMode, Workspace } from '../workspaces/workspace.js';
import { callNode } from './call-node.js';
import { managementToken, type NodeAccess, unlessUnknown } from './node-access.js';

type Subject = Pick<Workspace, 'workspaceId' | 'userId'>;

/**
 * Creates a workspace on a node. A repeat for the same generation changes nothing there. Agents of
 * earlier releases refuse a reservation and get the request without it.
 */
export async function createOnNode(
  access: NodeAccess,
  userId: string,
  body: CreateNodeWorkspace,
): Promise<CreateNodeWorkspaceResult> {
  try {
    return await sendCreate(access, userId, body);
  } catch (error) {
    const isOld = error instanceof NodeRefused && error.reason === 'invalid_request';
    const { reservation, ...without } = body;
    if (!isOld || reservation === undefined) throw error;
    return sendCreate(access, userId, without);
  }
}

async function sendCreate(
  access: NodeAccess,
  userId: string,
  body: CreateNodeWorkspace,
): Promise<CreateNodeWorkspaceResult> {
  const { workspaceId } = body;
  return callNode(access.address, {
    method: 'POST',
    path: '/workspaces',
    workspaceId,
    body,
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: CreateNodeWorkspaceResult,
  });
}

/**
 * Restarts or rebuilds a workspace from its files on the node. A repeat for the same generation
 * changes nothing.
 */
export async function restartOrRebuildOnNode(
  access: NodeAccess,
  { workspaceId, userId }: Subject,
  { mode, body }: { readonly mode: RestartMode; readonly body: RestartOrRebuildRequest },
): Promise<void> {
  await callNode(access.address, {
    method: 'POST',
    path: `/workspaces/${workspaceId}/${mode}`,
    workspaceId,
    body,
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: z.object({ status: z.string() }),
  });
}

/** Stops a workspace on its node. An unknown workspace counts as stopped. */
export async function stopOnNode(access: NodeAccess, { workspaceId, userId }: Subject): Promise<void> {
  const stop = callNode(access.address, {
    method: 'POST',
    path: `/workspaces/${workspaceId}/stop`,
    workspaceId,
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: StopNodeWorkspaceResult,
  });
  await stop.catch(unlessUnknown);
}

/**
 * Stops a workspace on its node only if nothing changed since the capture; false when something
 * did. An unknown workspace counts as stopped.
 */
export async function stopUnchangedOnNode(
  access: NodeAccess,
  { workspaceId, userId }: Subject,
  snapshotOperationId: string,
): Promise<boolean> {
  const stop = callNode(access.address, {
    method: 'POST',
    path: `/workspaces/${workspaceId}/stop`,
    workspaceId,
    body: { snapshotOperationId } satisfies StopForSleep,
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: StopNodeWorkspaceResult,
  });
  try {
    await stop.catch(unlessUnknown);
    return true;
  } catch (error) {
    if (error instanceof NodeRefused && error.reason === 'changed_since_snapshot') return false;
    throw error;
  }
}

/** Deletes a workspace on its node. When this returns, the node has confirmed that it has none. */
export async function deleteOnNode(access: NodeAccess, { workspaceId, userId }: Subject): Promise<void> {
  const deletion = callNode(access.address, {
    method: 'DELETE',
    path: `/workspaces/${workspaceId}`,
    workspaceId,
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: DeleteNodeWorkspaceResult,
  });
  await deletion.catch(unlessUnknown);
}
