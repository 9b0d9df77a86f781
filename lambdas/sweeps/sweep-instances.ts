import { findNode } from '../domain/nodes/find-node.js';
import { liveInstances, type NodeInstance, terminateInstances } from '../domain/nodes/instances.js';
import { listWarmNodes } from '../domain/nodes/warm-node.js';
import { isOlder, type Sweep } from './sweep.js';

/** A younger instance may belong to a launch that is not recorded yet. */
const minimumAgeMs = 60 * 60_000;

/** A mistake here ends work of people: it is noticed before all of it is done. */
const mostAtOnce = 5;

/** Terminates instances of this deployment that belong to no node: they cost money. */
export async function sweepInstances(sweep: Sweep): Promise<void> {
  const old = (await liveInstances(sweep.fleet)).filter(
    ({ launchedAt }) => launchedAt && isOlder(sweep, launchedAt.toISOString(), minimumAgeMs),
  );
  const orphans: string[] = [];
  // Read before the nodes: an instance that is claimed in between has a node by then.
  const waiting = new Set(
    (old.length > 0 ? await listWarmNodes(sweep.table) : []).map(({ nodeId }) => nodeId),
  );
  for (const instance of old) {
    if (instance.nodeId && waiting.has(instance.nodeId)) continue;
    if (await isOrphan(sweep, instance)) orphans.push(instance.instanceId);
  }
  if (orphans.length === 0) return;
  const now = orphans.slice(0, mostAtOnce);
  sweep.log.warn('Instances without a node terminated', { instanceIds: now });
  await terminateInstances(sweep.fleet, now);
}

async function isOrphan({ table }: Sweep, { nodeId, instanceId }: NodeInstance): Promise<boolean> {
  // Tagged by hand, as it names no node: leave it alone.
  if (!nodeId) return false;
  const node = await findNode(table, nodeId);
  if (!node || node.status === 'deleted') return true;
  return node.instanceId !== null && node.instanceId !== instanceId;
}
