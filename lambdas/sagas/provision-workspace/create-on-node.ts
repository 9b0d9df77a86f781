// provision-workspace: CreateOnNode (waits for the workspace's ready callback)
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { NodeAccess } from '../../domain/node-client/node-access.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf, type NodeAddress } from '../../domain/node-client/node-address.js';
import {
  createOnNode,
  deleteOnNode,
  restartOrRebuildOnNode,
} from '../../domain/node-client/workspace-calls.js';
import { NodeRefused, NodeUnreachable } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { namesOf, upsertRecords } from '../../domain/nodes/node-dns.js';
import { reportTaskProgress } from '../../domain/tasks/task-progress.js';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { changeWorkspace } from '../../domain/workspaces/change-workspace.js';
import { WorkspaceAlreadyReady, WorkspaceStopped } from '../../domain/workspaces/errors.js';
import { sending } from '../../domain/workspaces/eviction-generations.js';
import { findWorkspace, requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { awaitCallback } from '../../domain/workspaces/provisioning.js';
import { containerLimitsOf } from '../../domain/workspaces/reservation.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { nodeZone } from '../../edge/node-zone.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { GenerationInput } from '../inputs.js';

const env = readEnv({ WORKSPACE_IMAGE: z.optional(z.string()) });

const Input = z.extend(GenerationInput, { nodeId: Ulid, taskToken: z.string() });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const { workspaceId, generation, nodeId, taskToken } = input;
  const standing = requireGeneration(await findWorkspace(table, workspaceId), input);
  if (isUsable(standing.status)) throw new WorkspaceAlreadyReady(workspaceId);

  const { address, named } = await placeOf(table, nodeId);
  const { evictionGeneration } = standing;
  const sentEviction = evictionGeneration ? sending(standing, { nodeId, evictionGeneration }) : undefined;
  const workspace = await awaitCallback(table, {
    workspaceId,
    generation,
    step: 'create-on-node',
    taskToken,
    // After this write only the node, or its removal, proves that the workspace does not exist.
    set: {
      dispatchedAt: now.toISOString(),
      nodeUrl: address.url,
      nodeCertificatePem: address.certificatePem,
      // Before the name exists, so that it is always removed.
      namedAddress: named,
      sentEviction,
    },
    now,
  });
  if (nodeZone && named) await upsertRecords(nodeZone, namesOf(workspace, nodeZone.domain), named);
  await reportTaskProgress(table, workspace, { step: 'workspace_creation', now });
  const { knowsEvictions } = await send(workspace, address, now);
  if (evictionGeneration && !knowsEvictions) await forgetGeneration(table, workspace, now);
  await reportTaskProgress(table, workspace, { step: 'workspace_dispatch', now });
  await leaveFormerNode(table, workspace, { now, log });

  if (isWanted(await findWorkspace(table, workspaceId), generation)) return;
  // A stop may have reached the node before this request.
  await deleteOnNode(access(address, now), workspace);
  log.info('Workspace stopped during its request to the node', { workspaceId, nodeId });
  throw new WorkspaceStopped(workspaceId);
});

/** The address of the node, and its IP address for the name of the workspace if it gets one. */
async function placeOf(table: Table, nodeId: string) {
  const node = await findNode(table, nodeId);
  const address = addressOf(node);
  if (!node || !address) throw new NodeUnreachable('The node of the workspace is removed');
  return { address, named: nodeZone && node.ipAddress ? node.ipAddress : undefined };
}

const isWanted = (workspace: Workspace | undefined, generation: number): boolean =>
  workspace?.generation === generation && (workspace.status === 'provisioning' || isUsable(workspace.status));

const access = (address: NodeAddress, now: Date) => ({
  keys: signingKeys,
  address,
  now,
  timeoutMs: nodeTimeouts.handOver,
});

/** Its agent is of an earlier release: an eviction there names no generation. */
async function forgetGeneration(
  table: Table,
  { workspaceId, generation }: Workspace,
  now: Date,
): Promise<void> {
  const set = { evictionGeneration: null, sentEviction: null };
  await changeWorkspace(table, { workspaceId, set, when: { equals: { generation } }, isInternal: true, now });
}

async function send(workspace: Workspace, address: NodeAddress, now: Date) {
  const { workspaceId, generation, repository, cloneUrl, branch, gitAuthor } = workspace;
  const { baseBranch, lightweight, devcontainerConfigName, evictionGeneration } = workspace;
  const claims = { sub: workspaceId, node: address.nodeId, generation };
  const { token } = await issueToken(signingKeys, 'workspaceCallback', { claims, now });
  const on = access(address, now);
  const again = workspace.restartMode && (await restartOrRebuild(on, workspace, token));
  if (again) return again;
  return createOnNode(on, workspace.userId, {
    workspaceId,
    generation,
    repository,
    cloneUrl,
    branch,
    callbackToken: token,
    reservation: containerLimitsOf(workspace),
    ...(evictionGeneration ? { evictionGeneration } : {}),
    ...(baseBranch ? { baseBranch } : {}),
    ...(lightweight ? { lightweight } : {}),
    ...(devcontainerConfigName ? { devcontainerConfigName } : {}),
    ...(gitAuthor ? { gitUserName: gitAuthor.name, gitUserEmail: gitAuthor.email } : {}),
    ...(env.WORKSPACE_IMAGE ? { image: env.WORKSPACE_IMAGE } : {}),
  });
}

/** Undefined when the node has no files of the workspace: the caller creates it. */
async function restartOrRebuild(on: NodeAccess, workspace: Workspace, callbackToken: string) {
  const { sentEviction } = workspace;
  const body = { generation: workspace.generation, callbackToken };
  // The node may still run a workspace that the control plane shows as ended, or the reverse.
  const modes =
    workspace.restartMode === 'rebuild'
      ? (['rebuild', 'restart'] as const)
      : (['restart', 'rebuild'] as const);
  for (const mode of modes) {
    try {
      return await restartOrRebuildOnNode(on, workspace, { mode, sentEviction, body });
    } catch (error) {
      if (!(error instanceof NodeRefused) || !['not_found', 'invalid_transition'].includes(error.reason))
        throw error;
    }
  }
  return undefined;
}

/**
 * Deletes what the earlier generation left on another node. An unreachable node loses it with its
 * removal.
 */
async function leaveFormerNode(
  table: Table,
  workspace: Workspace,
  { now, log }: { readonly now: Date; readonly log: Log },
): Promise<void> {
  const { workspaceId, formerNodeId, nodeId } = workspace;
  if (!formerNodeId || formerNodeId === nodeId) return;
  const address = addressOf(await findNode(table, formerNodeId));
  if (!address) return;
  await deleteOnNode(access(address, now), workspace).catch((error: unknown) =>
    log.warn('The files of the former generation stay on their node', { workspaceId, formerNodeId, error }),
  );
}
