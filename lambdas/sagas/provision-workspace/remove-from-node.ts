// provision-workspace: RemoveFromNode (undo of CreateOnNode)

import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { deleteOnNode, stopOnNode } from '../../domain/node-client/workspace-calls.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { GenerationInput } from '../inputs.js';

export const handler = step(GenerationInput, async ({ input, table, now }) => {
  const workspace = await findWorkspace(table, input.workspaceId);
  if (!workspace?.nodeId || workspace.generation !== input.generation) return;
  // A deleted node has no workspace any more.
  const address = addressOf(await findNode(table, workspace.nodeId));
  if (!address) return;
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.handOver };
  // What came from the files of an earlier life keeps them, for another attempt.
  await (workspace.restartMode ? stopOnNode(access, workspace) : deleteOnNode(access, workspace));
});
