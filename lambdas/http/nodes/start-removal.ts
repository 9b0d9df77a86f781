import * as z from 'zod/mini';
import type { Node } from '../../domain/nodes/node.js';
import type { RemovalMode } from '../../domain/nodes/node-status.js';
import { beginRemoval } from '../../domain/nodes/removal.js';
import { sagaNames, startSaga } from '../../domain/sagas/start-saga.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';

const env = readEnv({ REMOVE_NODE_ARN: z.string() });

interface RemovalCall {
  readonly nodeId: string;
  readonly userId: string;
  readonly mode: RemovalMode;
  readonly now: Date;
  readonly log: Log;
}

/** Claims the removal for the owner of the node and starts its saga; if the start fails, the sweep does it. */
export async function startRemoval(table: Table, call: RemovalCall): Promise<Node> {
  const { nodeId, userId, mode, now, log } = call;
  const node = await beginRemoval(table, { nodeId, userId, mode, now });
  if (!node.removal || node.status === 'deleted' || node.status === 'stopped') return node;
  await startSaga(stepFunctions, {
    stateMachineArn: env.REMOVE_NODE_ARN,
    name: sagaNames.removeNode(nodeId, mode, node.removal.attempt),
    input: { nodeId, mode },
  }).catch((error: unknown) => log.error('Removal not started; the sweep starts it', { nodeId, error }));
  return node;
}
