import * as z from 'zod/mini';
import type { EvictionGenerations } from '../../../protocol/eviction.js';
import {
  type CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  DeleteNodeWorkspaceResult,
  type RestartOrRebuildRequest,
  StopNodeWorkspaceResult,
} from '../../../protocol/node-api.js';
import type { StopForSleep } from '../../../protocol/snapshots.js';
import { NodeRefused } from '../nodes/errors.js';
import { candidatesOf } from '../workspaces/eviction-generations.js';
import type { RestartMode, Workspace } from '../workspaces/workspace.js';
import { callNode } from './call-node.js';
import { managementToken, type NodeAccess, unlessUnknown } from './node-access.js';

type Subject = Pick<Workspace, 'workspaceId' | 'userId'>;

/** Whether the node knows eviction generations. Agents of earlier releases do not. */
interface Known {
  readonly knowsEvictions: boolean;
}

const isRefusedField = (error: unknown): boolean =>
  error instanceof NodeRefused && error.reason === 'invalid_request';

/**
 * Creates a workspace on a node. A repeat for the same generation changes nothing there. Agents of
 * earlier releases refuse an eviction generation, and older ones a reservation, and get the request
 * without it.
 */
export async function createOnNode(
  access: NodeAccess,
  userId: string,
  body: CreateNodeWorkspace,
): Promise<Known> {
  const { evictionGeneration, ...known } = body;
  const { reservation: _, ...oldest } = known;
  try {
    await sendCreate(access, userId, body);
    return { knowsEvictions: evictionGeneration !== undefined };
  } catch (error) {
    if (!isRefusedField(error)) throw error;
  }
  await sendCreate(access, userId, known).catch(async (error: unknown) => {
    if (!isRefusedField(error)) throw error;
    await sendCreate(access, userId, oldest);
  });
  return { knowsEvictions: false };
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

interface Again {
  readonly mode: RestartMode;
  /** Its generations are part of the request, unless the node does not know them. */
  readonly sentEviction: Workspace['sentEviction'];
  readonly body: Pick<RestartOrRebuildRequest, 'generation' | 'callbackToken'>;
}

/**
 * Restarts or rebuilds a workspace from its files on the node. A repeat for the same generation
 * changes nothing.
 */
export async function restartOrRebuildOnNode(
  access: NodeAccess,
  subject: Subject,
  { mode, sentEviction, body }: Again,
): Promise<Known> {
  const candidates = sentEviction ? candidatesOf(sentEviction) : [];
  if (candidates.length > 0 && (await sendGenerations(access, subject, { mode, body, candidates })))
    return { knowsEvictions: true };
  await sendAgain(access, subject, { mode, body });
  return { knowsEvictions: false };
}

interface WithGenerations extends Pick<Again, 'mode' | 'body'> {
  /** The likeliest first. */
  readonly candidates: readonly EvictionGenerations[];
}

/** False: the agent is of an earlier release, which refuses the fields. */
async function sendGenerations(
  access: NodeAccess,
  subject: Subject,
  { mode, body, candidates }: WithGenerations,
): Promise<boolean> {
  const [generations, ...others] = candidates;
  try {
    await sendAgain(access, subject, { mode, body: { ...body, ...generations } });
    return true;
  } catch (error) {
    if (isRefusedField(error)) return false;
    if (!isStale(error) || others.length === 0) throw error;
  }
  return sendGenerations(access, subject, { mode, body, candidates: others });
}

/** The node has another generation: a later one was sent to it and did not arrive. */
const isStale = (error: unknown): boolean =>
  error instanceof NodeRefused && error.reason === 'invalid_transition';

async function sendAgain(
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
