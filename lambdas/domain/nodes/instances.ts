import {
  type _InstanceType,
  DescribeInstancesCommand,
  type EC2Client,
  type Instance,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { InstanceType } from './instance-types.js';

const nodeTag = 'berth:node';
const stackTag = 'berth:stack';
/** Of machines that were launched for no node yet; it stays when they become one. */
const warmTag = 'berth:warm';

/** The EC2 instances of one deployment, known by their tags. */
export interface Fleet {
  readonly client: EC2Client;
  readonly deploymentId: string;
}

export type InstanceState =
  | 'pending'
  | 'running'
  | 'shutting-down'
  | 'terminated'
  | 'stopping'
  | 'stopped'
  | 'unknown';

export interface NodeInstance {
  readonly instanceId: string;
  readonly nodeId: string | undefined;
  readonly state: InstanceState;
  readonly instanceType: string | undefined;
  readonly ipAddress: string | undefined;
  readonly launchedAt: Date | undefined;
  /** It was launched to wait, stopped, for its node. */
  readonly isWarm: boolean;
}

/** It costs money and is not ending. */
export const isLive = ({ state }: NodeInstance): boolean =>
  state !== 'terminated' && state !== 'shutting-down';

/**
 * The instance of the row; without one (a launch was interrupted) the youngest. A launch replaces
 * the bootstrap token of earlier ones, or does not happen once one of them has redeemed it.
 */
export function ownInstance(
  instances: readonly NodeInstance[],
  instanceId: string | null,
): NodeInstance | undefined {
  if (instanceId !== null) return instances.find((one) => one.instanceId === instanceId);
  const launchedMs = ({ launchedAt }: NodeInstance) => launchedAt?.getTime() ?? 0;
  return instances.filter(isLive).toSorted((a, b) => launchedMs(b) - launchedMs(a))[0];
}

export interface Launch {
  readonly nodeId: string;
  readonly name: string;
  readonly launchTemplateId: string;
  readonly subnetId: string;
  /** Replaces type and disk of the launch template. */
  readonly type: InstanceType;
  readonly rootDevice: string;
  readonly userData: string;
  /** A repeat of the very same launch gives the same instance. */
  readonly clientToken: string;
  readonly isWarm?: true;
}

/**
 * Starts the instance of a node from the newest version of the launch template. A deployment adds a
 * version and does not move the default version.
 */
export async function launchInstance({ client, deploymentId }: Fleet, launch: Launch): Promise<string> {
  const { nodeId, name, launchTemplateId, subnetId, type, rootDevice, userData, clientToken, isWarm } =
    launch;
  const tags = [
    { Key: nodeTag, Value: nodeId },
    { Key: stackTag, Value: deploymentId },
    { Key: 'Name', Value: `${deploymentId}-${name}` },
    ...(isWarm ? [{ Key: warmTag, Value: 'true' }] : []),
  ];
  const { Instances } = await client.send(
    new RunInstancesCommand({
      MinCount: 1,
      MaxCount: 1,
      ClientToken: clientToken,
      LaunchTemplate: { LaunchTemplateId: launchTemplateId, Version: '$Latest' },
      SubnetId: subnetId,
      InstanceType: type.name as _InstanceType,
      // EC2 takes nothing of a device from the template that the request names.
      BlockDeviceMappings: [
        {
          DeviceName: rootDevice,
          Ebs: { VolumeSize: type.diskGb, VolumeType: 'gp3', Encrypted: true, DeleteOnTermination: true },
        },
      ],
      UserData: Buffer.from(userData).toString('base64'),
      InstanceInitiatedShutdownBehavior: 'terminate',
      TagSpecifications: [
        { ResourceType: 'instance', Tags: tags },
        { ResourceType: 'volume', Tags: tags },
      ],
    }),
  );
  const instanceId = Instances?.[0]?.InstanceId;
  if (!instanceId) throw new Error('EC2 returned no instance');
  return instanceId;
}

/** All instances of a node that EC2 still knows of, terminated ones for about an hour. */
export function instancesOfNode(fleet: Fleet, nodeId: string): Promise<readonly NodeInstance[]> {
  return describe(fleet, [{ Name: `tag:${nodeTag}`, Values: [nodeId] }]);
}

/** All instances of the deployment that cost money. */
export function liveInstances(fleet: Fleet): Promise<readonly NodeInstance[]> {
  return describe(fleet, [
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
  ]);
}

type Filters = { readonly Name: string; readonly Values: string[] }[];

async function describe({ client, deploymentId }: Fleet, filters: Filters): Promise<readonly NodeInstance[]> {
  const found: NodeInstance[] = [];
  let nextToken: string | undefined;
  do {
    const page = await client.send(
      new DescribeInstancesCommand({
        Filters: [{ Name: `tag:${stackTag}`, Values: [deploymentId] }, ...filters],
        ...(nextToken ? { NextToken: nextToken } : {}),
      }),
    );
    found.push(...(page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances.flatMap(readInstance)));
    nextToken = page.NextToken;
  } while (nextToken);
  return found;
}

function readInstance(instance: Instance): NodeInstance[] {
  const { InstanceId, InstanceType, State, PublicIpAddress, LaunchTime, Tags } = instance;
  if (!InstanceId) return [];
  return [
    {
      instanceId: InstanceId,
      nodeId: Tags?.find(({ Key }) => Key === nodeTag)?.Value,
      state: State?.Name ?? 'unknown',
      instanceType: InstanceType,
      ipAddress: PublicIpAddress,
      launchedAt: LaunchTime,
      isWarm: Tags?.some(({ Key }) => Key === warmTag) ?? false,
    },
  ];
}

export async function terminateInstances({ client }: Fleet, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await client.send(new TerminateInstancesCommand({ InstanceIds: [...instanceIds] }));
}
