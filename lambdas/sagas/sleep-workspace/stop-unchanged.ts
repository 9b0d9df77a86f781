// sleep-workspace: StopUnchanged
import * as z from 'zod/mini';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { stopOnNode, stopUnchangedOnNode } from '../../domain/node-client/workspace-calls.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { SleepInput } from '../inputs.js';

const Input = z.extend(SleepInput, { isFallback: z.boolean() });

const stopped = { outcome: 'stopped' } as const;

export const handler = step(Input, async ({ input, table, now }) => {
  const workspace = await findWorkspace(table, input.workspaceId);
  const isOurs = workspace?.generation === input.generation && workspace.sleep?.claimId === input.claimId;
  if (!isOurs || workspace.sleep?.phase !== 'stopping' || workspace.nodeId === null) return stopped;
  const address = addressOf(await findNode(table, workspace.nodeId));
  // A removed node runs nothing.
  if (!address) return stopped;
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.work };
  if (!input.isFallback) {
    const isStopped = await stopUnchangedOnNode(access, workspace, input.claimId);
    return isStopped ? stopped : ({ outcome: 'changed' } as const);
  }
  await stopOnNode(access, workspace);
  return stopped;
});
