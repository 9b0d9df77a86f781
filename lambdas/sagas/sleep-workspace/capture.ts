// sleep-workspace: Capture (waits for the node's callback `complete`)
import * as z from 'zod/mini';
import { hibernateOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { NodeUnreachable } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { awaitCapture } from '../../domain/snapshots/await-capture.js';
import { confirmPrompts } from '../../domain/snapshots/confirm-prompts.js';
import { CaptureRefused } from '../../domain/snapshots/errors.js';
import { keepBeforeSleep } from '../../domain/tasks/keep-changes.js';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { uploads } from '../../shared/clients/uploads.js';
import { SleepInput } from '../inputs.js';

const Input = z.extend(SleepInput, { taskToken: z.string() });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const { workspace, snapshot } = await awaitCapture(table, { ...input, now });
  const { workspaceId, generation, userId, nodeId } = workspace;
  const address = nodeId === null ? undefined : addressOf(await findNode(table, nodeId));
  if (!address) throw new NodeUnreachable('The node of the workspace is removed');
  await confirmPrompts(table, { keys: signingKeys, now }, workspaceId);
  const claims = { sub: workspaceId, node: address.nodeId, generation };
  const { token } = await issueToken(signingKeys, 'workspaceCallback', { claims, now });
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.handOver };
  const { agentSessionId, chatSessionId } = snapshot;
  await keepBeforeSleep({ table, keys: signingKeys, objects: uploads, now, log }, workspace, chatSessionId);
  const accepted = await hibernateOnNode(
    access,
    { workspaceId, userId, agentSessionId },
    { chatSessionId, operationId: input.claimId, workspaceCallbackToken: token },
  );
  if (!accepted) throw new CaptureRefused('Another capture of the workspace runs on its node.');
});
