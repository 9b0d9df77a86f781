// delete-workspace: DeleteOnNode

import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { deleteOnNode } from '../../domain/node-client/workspace-calls.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { isBeingDispatched, proofWithoutNode } from '../../domain/workspaces/confirm-deletion.js';
import { deletionUnconfirmed } from '../../domain/workspaces/errors.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import type { DeletionProof, Workspace } from '../../domain/workspaces/workspace.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { GenerationInput } from '../inputs.js';

/** Gives a proof that the workspace is gone, or fails: silence and time prove nothing. */
export const handler = step(
  GenerationInput,
  async ({ input, table, now }): Promise<{ proof: DeletionProof | null }> => {
    const workspace = await findWorkspace(table, input.workspaceId);
    // Another attempt has confirmed it.
    if (!workspace?.deletion || workspace.status === 'deleted') return { proof: null };
    return { proof: await prove(table, workspace, now) };
  },
);

async function prove(table: Table, workspace: Workspace, now: Date): Promise<DeletionProof> {
  const node = workspace.nodeId ? await findNode(table, workspace.nodeId) : undefined;
  const proof = proofWithoutNode(workspace, node);
  if (proof) return proof;
  if (isBeingDispatched(workspace, now))
    throw deletionUnconfirmed('the request that creates the workspace may still be in flight');
  const address = addressOf(node);
  if (!address)
    throw deletionUnconfirmed('the node has no address, and EC2 has not reported its instance terminated');
  await deleteOnNode({ keys: signingKeys, address, now, timeoutMs: nodeTimeouts.work }, workspace);
  return 'vm_agent_confirmed';
}
