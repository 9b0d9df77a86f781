import type { SSMClient } from '@aws-sdk/client-ssm';
import { type Fleet, liveInstances, terminateInstances } from '../../lambdas/domain/nodes/instances.js';
import { type Retirement, retireOutdated } from '../../lambdas/domain/nodes/retire-outdated.js';
import { waitingMachines } from '../../lambdas/domain/nodes/warm-pool.js';
import type { Table } from '../../lambdas/shared/table.js';
import { nameLatest, type ReleaseTarget } from '../agent-binaries/upload-release.js';
import { putImageParameter } from './image-parameter.js';

interface TakeOver {
  readonly release: string;
  readonly agentVersion: string;
  readonly imageId: string;
  readonly imageParameter: string;
  readonly now: Date;
}

export interface Cloud extends ReleaseTarget {
  readonly ssm: SSMClient;
  readonly fleet: Fleet;
  readonly table: Table;
}

type DrainedNodes = Readonly<Record<Retirement, number>>;

/**
 * Makes a release current: new nodes use its image, and nodes of other releases are retired (the
 * sweep removes each when it is empty). The parameter changes first, so that a node launched during
 * the change has the new image or is retired. A rollback is the same call; a repeat is safe.
 */
export async function takeOver(cloud: Cloud, change: TakeOver): Promise<DrainedNodes> {
  const { imageParameter: name, imageId, release } = change;
  await putImageParameter(cloud.ssm, { name, imageId, release });
  await nameLatest(cloud, change.release);
  return drainNodes(cloud, change);
}

/**
 * Retires all nodes of the deployment whose agent is of another version. Waiting machines have the
 * image of their launch: the sweep launches others.
 */
async function drainNodes(
  { fleet, table }: Pick<Cloud, 'fleet' | 'table'>,
  { agentVersion, now }: Pick<TakeOver, 'agentVersion' | 'now'>,
): Promise<DrainedNodes> {
  const counts: Record<Retirement, number> = { current: 0, draining: 0, empty: 0, gone: 0 };
  for (const { nodeId } of await liveInstances(fleet)) {
    if (nodeId) counts[await retireOutdated(table, { nodeId, agentVersion, now })] += 1;
  }
  const waiting = await waitingMachines(table, fleet);
  await terminateInstances(
    fleet,
    waiting.map(({ instanceId }) => instanceId),
  );
  return counts;
}
