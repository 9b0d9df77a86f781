import type { Heartbeat } from '../../../protocol/callbacks.js';
import type { Table } from '../../shared/table.js';
import { changeNode } from './change-node.js';
import { NodeGone } from './errors.js';
import type { Node } from './node.js';

/**
 * A node lives. It says nothing of the node's status, and does not bring one back that is being deleted. One table
 * call.
 *
 * @throws {NodeGone}
 */
export async function recordHeartbeat(
  table: Table,
  nodeId: string,
  { heartbeat, now }: { readonly heartbeat: Heartbeat; readonly now: Date },
): Promise<Node> {
  const { agentVersion, metrics } = heartbeat;
  const outcome = await changeNode(table, {
    nodeId,
    set: { lastHeartbeatAt: now.toISOString(), agentVersion, lastMetrics: metrics },
    when: { oneOf: { status: ['provisioning', 'running', 'stopping', 'errored'] } },
    now,
  });
  if (!outcome.changed) throw new NodeGone(nodeId);
  return outcome.node;
}
