// DELETE /api/workspaces/{workspaceId}
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { storedAddressOf } from '../../domain/node-client/node-address.js';
import { deleteOnNode } from '../../domain/node-client/workspace-calls.js';
import { NodeRefused, NodeUnreachable } from '../../domain/nodes/errors.js';
import { failStep } from '../../domain/sagas/saga-steps.js';
import { claimDeletion } from '../../domain/workspaces/claim-deletion.js';
import {
  confirmDeletion,
  isBeingDispatched,
  proofWithoutNode,
} from '../../domain/workspaces/confirm-deletion.js';
import { DeletionRejected } from '../../domain/workspaces/errors.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import type { DeletionProof, Workspace } from '../../domain/workspaces/workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { delete as deletion } from './contract.js';

const sagas = sagasOf('delete-workspace');

const confirmed = { status: 200, body: { success: true, deletionStatus: 'confirmed' } } as const;
const pending = {
  status: 202,
  body: {
    success: true,
    deletionStatus: 'pending',
    workspaceStatus: 'stopping',
    reason: 'runtime_deletion_unconfirmed',
  },
} as const;

export const handler = sessionRoute(deletion, async ({ params, user, table, now, log }) => {
  const { workspaceId } = params;
  const seen = await findWorkspace(table, workspaceId);
  // The row of a deleted workspace stays, so that its owner gets the same reply to a repeat.
  if (seen?.userId !== user.userId) return rejection(new DeletionRejected(workspaceId, 'workspace_missing'));
  const claim = await claimDeletion(table, seen, now).catch(rejection);
  if ('status' in claim) return claim;
  if (claim.outcome === 'already_deleted') return confirmed;

  const { before, attempt } = claim;
  const { generation, taskToken } = before;
  try {
    if (taskToken) {
      const cause = 'The workspace was deleted';
      await failStep(stepFunctions, taskToken, { error: 'WorkspaceStopped', cause });
    }
    const proof = await prove(before, now);
    if (proof && (await confirmDeletion(table, before, { proof, now }))) return confirmed;
    await sagas.startDeleteWorkspace({ workspaceId, generation, attempt });
  } catch (error) {
    // The claim is durable: the sweep continues from it.
    log.error('Deletion not started; the sweep starts it', { workspaceId, error });
  }
  return pending;
});

function rejection(error: unknown) {
  if (!(error instanceof DeletionRejected)) throw error;
  const { reason } = error;
  return {
    status: 409,
    body: { success: false, deletionStatus: 'rejected', workspaceStatus: 'unchanged', reason },
  } as const;
}

/**
 * Tries once to delete the workspace on its node. Undefined without a proof: the saga tries again.
 */
async function prove(workspace: Workspace, now: Date): Promise<DeletionProof | undefined> {
  const proof = proofWithoutNode(workspace, undefined);
  if (proof || isBeingDispatched(workspace, now)) return proof;
  const address = storedAddressOf(workspace);
  if (!address) return undefined;
  try {
    await deleteOnNode({ keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request }, workspace);
    return 'vm_agent_confirmed';
  } catch (error) {
    if (error instanceof NodeUnreachable || error instanceof NodeRefused) return undefined;
    throw error;
  }
}
