import type { Heartbeat, NodeReady } from '../../../protocol/callbacks.js';
import type { Table } from '../../shared/table.js';
import { changeNode } from './change-node.js';
import { NodeGone } from './errors.js';
import type { Node } from './node.js';

/**
 * A node's agent is up and serves at this port with this certificate. An agent that started again says so again, maybe
 * from another port; a node that is being removed is told to be silent. Two table calls at most.
 *
 * @throws {NodeGone}
 */
export async function markNodeReady(
  table: Table,
  nodeId: string,
  { ready, now }: { readonly ready: NodeReady; readonly now: Date },
): Promise<Node> {
  const at = now.toISOString();
  const { agentVersion, role, port } = ready;
  const set = {
    agentVersion,
    role,
    port,
    certificatePem: ready.certificatePem ?? null,
    // A node that has just reported is as healthy as one that has just beaten.
    lastHeartbeatAt: at,
  };
  const first = await changeNode(table, {
    nodeId,
    move: 'ready',
    to: 'running',
    set: { ...set, agentReadyAt: at },
    now,
  });
  if (first.changed) return first.node;
  const again = await changeNode(table, { nodeId, set, when: { equals: { status: 'running' } }, now });
  if (again.changed) return again.node;
  throw new NodeGone(nodeId);
}

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
