import type { Node } from '../../domain/nodes/node.js';
import type { RemovalMode } from '../../domain/nodes/node-status.js';
import { beginRemoval } from '../../domain/nodes/removal.js';
import { sagasOf } from '../../edge/sagas.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';

const sagas = sagasOf('remove-node');

interface RemovalCall {
  readonly nodeId: string;
  readonly userId: string;
  readonly mode: RemovalMode;
  readonly now: Date;
  readonly log: Log;
}

/** Claims the removal of a node and starts its saga; if the start fails, the sweep does it. */
export async function startRemoval(table: Table, call: RemovalCall): Promise<Node> {
  const { nodeId, userId, mode, now, log } = call;
  const node = await beginRemoval(table, { nodeId, userId, mode, now });
  if (!node.removal || node.status === 'deleted' || node.status === 'stopped') return node;
  await sagas
    .startRemoveNode({ nodeId, mode, attempt: node.removal.attempt })
    .catch((error: unknown) => log.error('Removal not started; the sweep starts it', { nodeId, error }));
  return node;
}
