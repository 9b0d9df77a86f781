import { findNode } from '../domain/nodes/find-node.js';
import { liveInstances, type NodeInstance, terminateInstances } from '../domain/nodes/instances.js';
import { isOlder, type Sweep } from './sweep.js';

/** A younger instance may belong to a launch that is not recorded yet. */
const minimumAgeMs = 60 * 60_000;

/** A mistake here ends work of people: it is noticed before all of it is done. */
const mostAtOnce = 5;

type InstanceSweep = Pick<Sweep, 'table' | 'fleet' | 'now' | 'log'>;

/** Terminates instances of this deployment that belong to no node: they cost money. */
export async function sweepInstances(sweep: InstanceSweep): Promise<void> {
  const old = (await liveInstances(sweep.fleet)).filter(
    ({ launchedAt }) => launchedAt && isOlder(sweep, launchedAt.toISOString(), minimumAgeMs),
  );
  const orphans: string[] = [];
  for (const instance of old) {
    if (await isOrphan(sweep, instance)) orphans.push(instance.instanceId);
  }
  if (orphans.length === 0) return;
  const now = orphans.slice(0, mostAtOnce);
  sweep.log.warn('Instances without a node terminated', { instanceIds: now });
  await terminateInstances(sweep.fleet, now);
}

async function isOrphan(
  { table }: InstanceSweep,
  { nodeId, instanceId, isWarm }: NodeInstance,
): Promise<boolean> {
  // Tagged by hand, as it names no node: leave it alone.
  if (!nodeId) return false;
  const node = await findNode(table, nodeId);
  // A waiting machine has no node yet.
  if (!node) return !isWarm;
  if (node.status === 'deleted') return true;
  return node.instanceId !== null && node.instanceId !== instanceId;
}
