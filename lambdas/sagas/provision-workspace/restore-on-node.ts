// provision-workspace: RestoreOnNode (waits for the node's callback `restore-result`)
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { addressOf } from '../../domain/node-client/node-address.js';
import { NodeUnreachable } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { awaitRestore } from '../../domain/wake/await-restore.js';
import { restoreSessions } from '../../domain/wake/restore-sessions.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { GenerationInput } from '../inputs.js';

const env = readEnv({ PUBLIC_URL: z.url() });

const Input = z.extend(GenerationInput, { nodeId: Ulid, taskToken: z.string() });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const waking = await awaitRestore(table, { ...input, now });
  const address = addressOf(await findNode(table, input.nodeId));
  if (!address) throw new NodeUnreachable('The node of the workspace is removed');
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.handOver };
  await restoreSessions(table, waking, { access, publicUrl: env.PUBLIC_URL, now });
  const { workspaceId, nodeId } = input;
  log.info('Restore requested', { workspaceId, nodeId, sessions: waking.sessions.length });
});
