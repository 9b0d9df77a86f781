// stop-workspace: StopOnNode

import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { stopOnNode } from '../../domain/node-client/workspace-calls.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { GenerationInput } from '../inputs.js';

export const handler = step(GenerationInput, async ({ input, table, now }) => {
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== input.generation) return;
  // Its sleep has stopped it and released its slot; its former node may be retired or removed.
  if (workspace.asleep?.generation === workspace.generation) return;
  // Nothing to stop when it was never sent to a node, or the node is deleted.
  if (workspace.dispatchedAt === null || workspace.nodeId === null) return;
  const address = addressOf(await findNode(table, workspace.nodeId));
  if (!address) return;
  await stopOnNode({ keys: signingKeys, address, now, timeoutMs: nodeTimeouts.work }, workspace);
});
