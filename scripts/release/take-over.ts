import { PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { type Fleet, liveInstances } from '../../lambdas/domain/nodes/instances.js';
import { type Retirement, retireOutdated } from '../../lambdas/domain/nodes/retire-outdated.js';
import type { Table } from '../../lambdas/shared/table.js';
import { nameLatest, type ReleaseTarget } from '../agent-binaries/upload-release.js';

export interface TakeOver {
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

export type DrainedNodes = Readonly<Record<Retirement, number>>;

/**
 * From here on nodes are launched of this release, and those of any other get no further workspace:
 * the sweep removes each when it is empty. In this order, a node that is launched meanwhile is
 * either of the new image or retired. Forward and back are the same move, and a repeat does what
 * the last one left undone.
 */
export async function takeOver(cloud: Cloud, change: TakeOver): Promise<DrainedNodes> {
  await cloud.ssm.send(
    new PutParameterCommand({
      Name: change.imageParameter,
      Value: change.imageId,
      Type: 'String',
      // The parameter store itself then refuses what is no image of this account and region.
      DataType: 'aws:ec2:image',
      Overwrite: true,
      Description: `Berth node image, release ${change.release}`,
    }),
  );
  await nameLatest(cloud, change.release);
  return drainNodes(cloud, change);
}

/** Retires all nodes of the deployment whose agent is of another version. */
export async function drainNodes(
  { fleet, table }: Pick<Cloud, 'fleet' | 'table'>,
  { agentVersion, now }: Pick<TakeOver, 'agentVersion' | 'now'>,
): Promise<DrainedNodes> {
  const counts: Record<Retirement, number> = { current: 0, draining: 0, empty: 0, gone: 0 };
  for (const { nodeId } of await liveInstances(fleet)) {
    if (nodeId) counts[await retireOutdated(table, { nodeId, agentVersion, now })] += 1;
  }
  return counts;
}
