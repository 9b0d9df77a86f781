import { isRefusedRemoval } from '../domain/nodes/errors.js';
import { findNode, findNodeWithWorkspaces } from '../domain/nodes/find-node.js';
import { instancesOfNode } from '../domain/nodes/instances.js';
import type { Node } from '../domain/nodes/node.js';
import { dueRule } from '../domain/nodes/node-life.js';
import { nodeHealth } from '../domain/nodes/node-status.js';
import { beginRemoval, nextRemovalAttempt } from '../domain/nodes/removal.js';
import { warmMsOf } from '../domain/projects/warm-time.js';
import { failAfterNodeLoss } from '../domain/workspaces/running-failure.js';
import { isOlder, type Sweep } from './sweep.js';
import { sweepIdle } from './sweep-idle.js';

const minute = 60_000;
const neverStartedMs = 2 * minute;
/** The retries of remove-node take an hour; the next attempt begins an hour later. */
const removalMs = 2 * 60 * minute;

/** Continues with one node. True when its instance is gone. */
export async function sweepNode(sweep: Sweep, nodeId: string): Promise<boolean> {
  const node = await findNode(sweep.table, nodeId);
  if (!node || node.status === 'deleted' || node.status === 'stopped') return true;
  if (node.removal && (node.status === 'deleting' || node.status === 'stopping')) {
    await goOnRemoving(sweep, node);
  } else {
    await lookAfter(sweep, node);
  }
  return false;
}

async function goOnRemoving(sweep: Sweep, node: Node): Promise<void> {
  const { removal, updatedAt } = node;
  if (!removal || !isOlder(sweep, updatedAt, neverStartedMs)) return;
  const due = isOlder(sweep, updatedAt, removalMs)
    ? await nextRemovalAttempt(sweep.table, node, sweep.now)
    : node;
  if (due) await startRemoval(sweep, due);
}

async function lookAfter(sweep: Sweep, node: Node): Promise<void> {
  const { slots, lastHeartbeatAt, status } = node;
  const isSilent = status === 'running' && nodeHealth(lastHeartbeatAt, sweep.now) === 'unhealthy';
  if (!slots) await removeWhenDue(sweep, node);
  else if (!isSilent || !(await removeIfLost(sweep, node))) await sweepIdle(sweep, node);
}

async function removeWhenDue(sweep: Sweep, node: Node): Promise<void> {
  const { nodeId, slotsChangedAt } = node;
  const rule = dueRule(node, await warmMsOf(sweep.table, node), sweep.now);
  if (!rule || !sweep.budgets.nodes.take()) return;
  sweep.log.info('Empty node removed', { nodeId, reason: rule.reason });
  await remove(sweep, node, slotsChangedAt);
}

/** A silent node is lost only when EC2 says that its instance is terminated. */
async function removeIfLost(sweep: Sweep, node: Node): Promise<boolean> {
  const { nodeId } = node;
  const instances = await instancesOfNode(sweep.fleet, nodeId);
  const isLost = instances.every(({ state }) => state === 'terminated' || state === 'shutting-down');
  sweep.log.warn('Node without heartbeat', { nodeId, isLost, lastHeartbeatAt: node.lastHeartbeatAt });
  if (!isLost) return false;
  const { workspaces } = await findNodeWithWorkspaces(sweep.table, nodeId);
  for (const workspace of workspaces) await failAfterNodeLoss(sweep.table, workspace, sweep.now);
  await remove(sweep, node);
  return true;
}

async function remove(sweep: Sweep, { nodeId }: Node, idleSince?: string): Promise<void> {
  const request = { nodeId, mode: 'delete', now: sweep.now, ...(idleSince ? { idleSince } : {}) } as const;
  try {
    await startRemoval(sweep, await beginRemoval(sweep.table, request));
  } catch (error) {
    if (!isRefusedRemoval(error)) throw error;
    // It changed since it was read, or a slot is still to be released: for the next sweep.
    sweep.log.info('Node is not removed yet', { nodeId, error });
  }
}

async function startRemoval(sweep: Sweep, { nodeId, removal }: Node): Promise<void> {
  if (!removal) return;
  await sweep.sagas.startRemoveNode({ nodeId, ...removal });
}
