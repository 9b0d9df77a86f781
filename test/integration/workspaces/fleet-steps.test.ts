import {
  CreateLaunchTemplateCommand,
  DescribeSubnetsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  issueBootstrapToken,
  newBootstrapToken,
  redeemBootstrapToken,
} from '../../../lambdas/domain/nodes/bootstrap.js';
import { changeNode } from '../../../lambdas/domain/nodes/change-node.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import {
  type Fleet,
  instancesOfNode,
  isLive,
  launchInstance,
  type NodeInstance,
} from '../../../lambdas/domain/nodes/instances.js';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { aNode, placedWorkspace, putNode, roomyType } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';
import { loadStep, type RunStep } from './load-step.js';
import { addressOfName, createZone } from './zone.js';

const table = sharedTable();
const ec2 = new EC2Client({});
const fleet: Fleet = { client: ec2, deploymentId: `steps-${process.pid}` };
const steps = new Map<string, RunStep>();
let zoneId: string;
let launchTemplateId: string;
let subnetId: string;

beforeAll(async () => {
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: fleet.deploymentId,
      LaunchTemplateData: { ImageId: 'ami-12345678', InstanceType: 't4g.large' },
    }),
  );
  launchTemplateId = LaunchTemplate?.LaunchTemplateId ?? '';
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  subnetId = Subnets[0]?.SubnetId ?? '';
  zoneId = await createZone();
  Object.assign(process.env, {
    DEPLOYMENT_ID: fleet.deploymentId,
    LAUNCH_TEMPLATE_ID: launchTemplateId,
    CALLBACK_URL: 'https://api.berth.example',
    INSTANCE_TYPES: JSON.stringify([roomyType]),
    CPU_OVERCOMMIT: '2',
    ROOT_DEVICE: '/dev/xvda',
    SUBNET_IDS: Subnets.map(({ SubnetId }) => SubnetId).join(),
  });
  for (const file of [
    'provision-workspace/launch-node',
    'provision-workspace/register-node',
    'remove-node/terminate-instance',
    'remove-node/await-instance',
    'remove-node/remove-dns',
  ]) {
    steps.set(file, await loadStep(file));
  }
});

async function run(file: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const step = steps.get(file);
  if (!step) throw new Error(`${file} is not loaded`);
  return step(input);
}

const launch = (workspace: Workspace, taskToken = 'of-launch') => {
  const { workspaceId, generation, nodeId } = workspace;
  return run('provision-workspace/launch-node', { workspaceId, generation, nodeId, taskToken });
};
const register = ({ nodeId, launchedFor }: Node) =>
  run('provision-workspace/register-node', { nodeId, workspaceId: launchedFor, generation: 1 });
const terminate = ({ nodeId }: Node, mode = 'delete') =>
  run('remove-node/terminate-instance', { nodeId, mode });
const awaitInstance = ({ nodeId }: Node, mode = 'delete') =>
  run('remove-node/await-instance', { nodeId, mode });
const removeDns = ({ nodeId }: Node) => run('remove-node/remove-dns', { nodeId, mode: 'delete' });

/** A node that is to be launched for its workspace. */
const unlaunched = () =>
  placedWorkspace(
    table,
    { dispatchedAt: null, nodeUrl: null },
    { status: 'provisioning', instanceId: null, host: null, ipAddress: null, lastHeartbeatAt: null },
  );
const alive = async ({ nodeId }: Node): Promise<readonly NodeInstance[]> =>
  (await instancesOfNode(fleet, nodeId)).filter(isLive);
/** What a launch that was cut off before it was written down leaves behind. */
const forgottenInstance = ({ nodeId, name }: Node) =>
  launchInstance(fleet, {
    nodeId,
    name,
    launchTemplateId,
    subnetId,
    type: roomyType,
    rootDevice: '/dev/xvda',
    userData: 'x',
    clientToken: `${nodeId}-${Math.random()}`,
  });
const rowOf = ({ nodeId }: Node) => findNode(table, nodeId);
const nameOf = ({ nodeId }: Node) => addressOfName(zoneId, nodeId.toLowerCase());

describe('LaunchNode', () => {
  it('starts one tagged instance, and stores its id and token', async () => {
    const { workspace, node } = await unlaunched();
    await launch(workspace);

    const [instance, ...others] = await alive(node);
    expect(others).toEqual([]);
    expect(await rowOf(node)).toMatchObject({ instanceId: instance?.instanceId, status: 'provisioning' });
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({
      taskToken: 'of-launch',
      waitingStep: 'launch-node',
    });
  });

  it('gives the node the issuer of tokens, which stays when the address of the console changes', async () => {
    const { newBoot } = await import('../../../lambdas/sagas/provision-workspace/launch-call.js');
    const { node } = await unlaunched();

    const { userData } = newBoot(node);

    expect(userData).toContain(`CONTROL_PLANE_URL=${process.env.PUBLIC_URL}`);
    expect(userData).toContain(`JWT_ISSUER=${process.env.TOKEN_ISSUER}`);
    expect(process.env.TOKEN_ISSUER).not.toBe(process.env.PUBLIC_URL);
  });

  it('starts no second instance when it runs twice or was interrupted', async () => {
    const twice = await unlaunched();
    await launch(twice.workspace);
    await launch(twice.workspace, 'of-retry');
    const cutOff = await unlaunched();
    const instanceId = await forgottenInstance(cutOff.node);
    await launch(cutOff.workspace);

    expect(await alive(twice.node)).toHaveLength(1);
    expect(await alive(cutOff.node)).toHaveLength(1);
    expect(await rowOf(cutOff.node)).toMatchObject({ instanceId });
  });

  it('starts no instance while EC2 does not show the one that redeemed the token', async () => {
    const { workspace, node } = await unlaunched();
    const [nodeId, token, now] = [node.nodeId, newBootstrapToken(), new Date()];
    await issueBootstrapToken(table, { nodeId, token, now, launchedFor: workspace.workspaceId });
    await redeemBootstrapToken(table, { nodeId, token, redemptionId: 'a'.repeat(32) }, now);

    await expect(launch(workspace)).rejects.toMatchObject({ name: 'InstanceNotInState' });

    expect(await alive(node)).toEqual([]);
  });

  it.each([
    ['running', 'NodeAlreadyReady'],
    ['deleting', 'NodeGone'],
  ] as const)('starts none for a node that is %s', async (status, name) => {
    const { workspace, node } = await unlaunched();
    await changeNode(table, { nodeId: node.nodeId, set: { status: status }, now: new Date() });

    await expect(launch(workspace)).rejects.toMatchObject({ name });

    expect(await alive(node)).toEqual([]);
  });

  it('starts no instance after a stop', async () => {
    const { workspace, node } = await unlaunched();
    await claimStop(table, { ...workspace, now: new Date() });

    await expect(launch(workspace)).rejects.toMatchObject({ name: 'WorkspaceStopped' });

    expect(await alive(node)).toEqual([]);
  });
});

describe('RegisterNode', () => {
  const launched = async () => {
    const { workspace, node } = await unlaunched();
    await launch(workspace);
    await changeNode(table, { nodeId: node.nodeId, set: { status: 'running' }, now: new Date() });
    return node;
  };

  it('stores the address of the node and its DNS name, also when repeated', async () => {
    const node = await launched();

    await register(node);
    await register(node);

    const [instance] = await alive(node);
    expect(await rowOf(node)).toMatchObject({
      ipAddress: instance?.ipAddress,
      host: `${node.nodeId.toLowerCase()}.nodes.example`,
    });
    expect(await nameOf(node)).toBe(instance?.ipAddress);
  });

  it('ends other instances that an interrupted launch started', async () => {
    const node = await launched();
    const own = (await rowOf(node))?.instanceId;
    await forgottenInstance(node);

    await register(node);

    expect((await alive(node)).map(({ instanceId }) => instanceId)).toEqual([own]);
  });

  it('takes the instance of a launch that was interrupted before it was stored', async () => {
    const { node } = await unlaunched();
    const instanceId = await forgottenInstance(node);
    await changeNode(table, { nodeId: node.nodeId, set: { status: 'running' }, now: new Date() });
    await register(node);

    expect(await rowOf(node)).toMatchObject({ instanceId, ipAddress: expect.any(String) });
  });

  it('does nothing for a node that is being removed', async () => {
    const node = await launched();
    await changeNode(table, { nodeId: node.nodeId, set: { status: 'deleting' }, now: new Date() });

    await expect(register(node)).rejects.toMatchObject({ name: 'NodeGone' });

    expect(await nameOf(node)).toBeUndefined();
  });
});

describe('the removal of a node', () => {
  it('ends all instances of the node, stored or not, also when repeated', async () => {
    const node = await putNode(table, aNode({ status: 'deleting' }));
    await forgottenInstance(node);
    await forgottenInstance(node);

    await terminate(node);
    await terminate(node);

    expect(await alive(node)).toEqual([]);
    await awaitInstance(node);
  });

  it('waits while EC2 reports a live instance', async () => {
    const node = await putNode(table, aNode({ status: 'deleting' }));
    const instanceId = await forgottenInstance(node);

    await expect(awaitInstance(node)).rejects.toMatchObject({ name: 'InstanceNotInState' });
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));

    await awaitInstance(node);
  });

  it('terminates the instance of a node that is stopped: nothing would start it again', async () => {
    const node = await putNode(table, aNode({ status: 'stopping' }));
    await forgottenInstance(node);

    await terminate(node, 'stop');
    await awaitInstance(node, 'stop');

    expect(await alive(node)).toEqual([]);
  });

  it('waits a minute for an instance that a launch may still be starting', async () => {
    const removal = (claimedAt: Date) => ({
      mode: 'delete' as const,
      attempt: 1,
      claimedAt: claimedAt.toISOString(),
    });
    const unwritten = { status: 'deleting', instanceId: null } as const;
    const now = new Date();
    const young = await putNode(table, aNode({ ...unwritten, removal: removal(now) }));
    const old = await putNode(
      table,
      aNode({ ...unwritten, removal: removal(new Date(now.getTime() - 61_000)) }),
    );

    await expect(awaitInstance(young)).rejects.toMatchObject({ name: 'InstanceNotInState' });
    await awaitInstance(old);
  });

  it('removes the DNS name, also when repeated', async () => {
    const { workspace, node } = await unlaunched();
    await launch(workspace);
    await changeNode(table, { nodeId: node.nodeId, set: { status: 'running' }, now: new Date() });
    await register(node);

    await removeDns(node);
    await removeDns(node);

    expect(await nameOf(node)).toBeUndefined();
  });
});
