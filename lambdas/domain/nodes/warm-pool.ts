import {
  ModifyInstanceAttributeCommand,
  StartInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Table } from '../../shared/table.js';
import { findNode } from './find-node.js';
import { type Fleet, liveInstances, type NodeInstance } from './instances.js';

/**
 * Waiting machines: instances that were launched once with the node image, have read it whole, and
 * are stopped. Each is tagged with the id of a node that does not exist yet. The row of that node,
 * which only one placement can insert, is the claim; from then on it is an instance like any other.
 */
export interface WaitingMachine extends NodeInstance {
  readonly nodeId: string;
}

/** The waiting machines that no placement has claimed. A table call for each. */
export async function waitingMachines(table: Table, fleet: Fleet): Promise<readonly WaitingMachine[]> {
  const found: WaitingMachine[] = [];
  for (const instance of await liveInstances(fleet)) {
    const { nodeId, isWarm } = instance;
    if (nodeId && isWarm && !(await findNode(table, nodeId))) found.push({ ...instance, nodeId });
  }
  return found;
}

/** The id of the node that a machine of this type waits for; undefined without one. */
export async function waitingNodeId(
  table: Table,
  fleet: Fleet,
  instanceType: string,
): Promise<string | undefined> {
  const machines = await waitingMachines(table, fleet);
  return machines.find((one) => one.state === 'stopped' && one.instanceType === instanceType)?.nodeId;
}

/** What EC2 hands to the machine at its next start. Only of a stopped instance. */
export async function setUserData({ client }: Fleet, instanceId: string, userData: string): Promise<void> {
  const Value = Buffer.from(userData);
  await client.send(new ModifyInstanceAttributeCommand({ InstanceId: instanceId, UserData: { Value } }));
}

export async function startInstance({ client }: Fleet, instanceId: string): Promise<void> {
  await client.send(new StartInstancesCommand({ InstanceIds: [instanceId] }));
}

export async function stopInstances({ client }: Fleet, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await client.send(new StopInstancesCommand({ InstanceIds: [...instanceIds] }));
}
