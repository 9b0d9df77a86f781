import type { NodeReady } from '../../../protocol/callbacks.js';
import type { Heartbeat } from '../../../protocol/heartbeat.js';
import type { Table } from '../../shared/table.js';
import { changeNode } from './change-node.js';
import { NodeGone } from './errors.js';
import type { Node } from './node.js';

/**
 * The agent reports that it serves, with its port and certificate. A restarted agent reports
 * again, maybe with another port. At most two table calls.
 *
 * @throws {NodeGone} the node is being removed
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
    // A ready report counts as a heartbeat.
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
 * Stores a heartbeat. It does not change the status. One table call.
 *
 * @throws {NodeGone} the node is being removed
 */
export async function recordHeartbeat(
  table: Table,
  nodeId: string,
  { heartbeat, now }: { readonly heartbeat: Heartbeat; readonly now: Date },
): Promise<Node> {
  const { agentVersion, metrics, certificate = null } = heartbeat;
  const outcome = await changeNode(table, {
    nodeId,
    set: { lastHeartbeatAt: now.toISOString(), agentVersion, lastMetrics: metrics, certificate },
    when: { oneOf: { status: ['provisioning', 'running', 'stopping', 'errored'] } },
    now,
  });
  if (!outcome.changed) throw new NodeGone(nodeId);
  return outcome.node;
}
