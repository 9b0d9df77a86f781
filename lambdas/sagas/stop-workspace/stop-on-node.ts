// stop-workspace: StopOnNode
import { findNode } from '../../domain/nodes/find-node.js';
import { addressOf } from '../../domain/nodes/node-address.js';
import { nodeTimeouts } from '../../domain/nodes/node-timeouts.js';
import { stopOnNode } from '../../domain/nodes/node-workspaces.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { Life } from '../life.js';

export const handler = step(Life, async ({ input, table, now }) => {
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== input.generation) return;
  // Never sent to a node, so there is nothing to stop; a node that is gone has stopped it.
  if (workspace.dispatchedAt === null || workspace.nodeId === null) return;
  const address = addressOf(await findNode(table, workspace.nodeId));
  if (!address) return;
  await stopOnNode({ keys: signingKeys, address, now, timeoutMs: nodeTimeouts.work }, workspace);
});
