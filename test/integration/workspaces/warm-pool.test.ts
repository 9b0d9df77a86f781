import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { listBootLog } from '../../../lambdas/domain/boot-log/boot-log.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { launchCooldownKey } from '../../../lambdas/domain/nodes/launch-cooldown.js';
import { waitingMachines } from '../../../lambdas/domain/nodes/warm-pool.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { rootLog as log } from '../../../lambdas/shared/log.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { Ec2Server } from '../../../local/ec2/ec2-server.js';
import { instanceStates } from '../../../local/ec2/instance-record.js';
import type { Instances } from '../../../local/ec2/instances.js';
import { refusedLaunchesFile } from '../../../local/ec2/refused-launches.js';
import { freePort } from '../../../local/processes/ports.js';
import { emulatorAccess } from '../../support/emulator-access.js';
import { openInstances } from '../../support/instances.js';
import { pendingWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { until } from '../../support/until.js';
import { loadStep, type RunStep } from './load-step.js';

/** Waiting machines against the EC2 stand-in, from the sweep to the launch of a node. */
const sharedName = process.env.TABLE_NAME;
const folder = mkdtempSync(join(tmpdir(), 'berth-warm-'));
const m7g = { name: 'm7g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };
const m7gLarger = { name: 'm7g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 };
const refusals = join(folder, 'ec2', refusedLaunchesFile);
const minutes = (count: number) => new Date(Date.now() + count * 60_000);
let table: Table;
let instances: Instances;
let server: Ec2Server;
let place: RunStep;
let launch: RunStep;
let sweeps: typeof import('../../../lambdas/sweeps/sweep-warm-pool.js') &
  typeof import('../../../lambdas/sweeps/sweep-instances.js');
let fleet: typeof import('../../../lambdas/sagas/fleet.js')['fleet'];

beforeAll(async () => {
  table = await emptyTable();
  instances = await openInstances(folder);
  const upstream = process.env.AWS_ENDPOINT_URL ?? '';
  server = new Ec2Server(instances, emulatorAccess());
  const port = await freePort();
  await server.listen(port);
  const { LaunchTemplate } = await new EC2Client({ endpoint: upstream }).send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: `warm-${process.pid}`,
      LaunchTemplateData: { ImageId: 'ami-12345678', InstanceType: 't4g.large' },
    }),
  );
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
    DEPLOYMENT_ID: `warm-${process.pid}`,
    LAUNCH_TEMPLATE_ID: LaunchTemplate?.LaunchTemplateId ?? '',
    CALLBACK_URL: 'https://api.berth.example',
    SUBNET_IDS: 'subnet-1',
    INSTANCE_TYPES: JSON.stringify([m7g, m7gLarger]),
    CPU_OVERCOMMIT: '2',
    ROOT_DEVICE: '/dev/xvda',
    NODE_CAPACITY: '3',
    NODE_SATURATION_PERCENT: '90',
    MAX_NODES_PER_USER: '10',
    MAX_NODES: '50',
    WARM_NODES: '1',
  });
  place = await loadStep('provision-workspace/place-workspace');
  launch = await loadStep('provision-workspace/launch-node');
  sweeps = {
    ...(await import('../../../lambdas/sweeps/sweep-warm-pool.js')),
    ...(await import('../../../lambdas/sweeps/sweep-instances.js')),
  };
  ({ fleet } = await import('../../../lambdas/sagas/fleet.js'));
});

beforeEach(async () => {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...launchCooldownKey } }));
  await fill();
});
afterEach(() => rmSync(refusals, { force: true }));
afterAll(async () => {
  process.env.TABLE_NAME = sharedName;
  await server.close();
  await instances[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const sweep = (now = new Date()) => sweeps.sweepWarmPool({ table, fleet, now, log });
const waiting = () => waitingMachines(table, fleet);

/** One stopped machine waits. */
async function fill(): Promise<string> {
  await sweep();
  await until('a machine runs or waits', async () =>
    (await waiting()).find(({ state }) => state in instanceStates && state !== 'pending'),
  );
  await sweep(minutes(6));
  const found = await until('a machine waits', async () =>
    (await waiting()).find(({ state }) => state === 'stopped'),
  );
  return found.nodeId;
}

async function placed(): Promise<{ readonly workspace: Workspace; readonly launch: boolean }> {
  const { workspaceId, generation } = await pendingWorkspace(table);
  const placement = (await place({ workspaceId, generation })) as { readonly launch: boolean };
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace) throw new Error('It was deleted');
  return { workspace, launch: placement.launch };
}

const launchNodeOf = ({ workspaceId, generation, nodeId }: Workspace) =>
  launch({ workspaceId, generation, nodeId, taskToken: 'of-launch' });
const messages = async (workspace: Workspace) =>
  (await listBootLog(table, workspace)).map(({ entry }) => entry.message);
const instanceOf = ({ nodeId }: Workspace) => instances.ofNode(String(nodeId));

it('has one stopped machine that holds no token and runs no agent, and the sweep launches no second one', async () => {
  const [machine, ...others] = await waiting();
  await sweep(minutes(10));

  expect(others).toEqual([]);
  expect(machine).toMatchObject({ state: 'stopped', instanceType: m7g.name });
  expect(await waiting()).toHaveLength(1);
  expect(await findNode(table, String(machine?.nodeId))).toBeUndefined();
  expect(() => readFileSync(join(folder, 'ec2', String(machine?.instanceId), 'node.env'))).toThrow('ENOENT');
});

it('starts it for a new node, with its identity, and the sweep launches the next', async () => {
  const [machine] = await waiting();
  const { workspace, launch: isNew } = await placed();
  expect({ nodeId: workspace.nodeId, isNew }).toEqual({ nodeId: machine?.nodeId, isNew: true });

  await launchNodeOf(workspace);

  await until('it runs', () => (instanceOf(workspace)?.state === 'running' ? true : undefined));
  expect(instanceOf(workspace)?.instanceId).toBe(machine?.instanceId);
  expect(await findNode(table, String(workspace.nodeId))).toMatchObject({ instanceId: machine?.instanceId });
  expect(readFileSync(join(folder, 'ec2', String(machine?.instanceId), 'node.env'), 'utf8')).toMatch(
    new RegExp(`NODE_ID=${workspace.nodeId}\n[^]*BOOTSTRAP_TOKEN=`),
  );
  expect(await messages(workspace)).toEqual(['Started a waiting machine (m7g.large)']);
  expect(await fill()).not.toBe(machine?.nodeId);
});

it('starts it once when the step runs again', async () => {
  const { workspace } = await placed();
  await launchNodeOf(workspace);
  const { instanceId } = instanceOf(workspace) ?? {};
  const before = readFileSync(join(folder, 'ec2', String(instanceId), 'node.env'), 'utf8');

  await launchNodeOf(workspace);

  expect(instanceOf(workspace)?.instanceId).toBe(instanceId);
  expect(readFileSync(join(folder, 'ec2', String(instanceId), 'node.env'), 'utf8')).toBe(before);
});

it('gives it to one of two placements', async () => {
  const [machine] = await waiting();

  const both = await Promise.all([placed(), placed()]);

  const ids = both.map(({ workspace }) => workspace.nodeId);
  expect(new Set(ids).size).toBe(2);
  expect(ids).toContain(machine?.nodeId);
});

it('launches another when EC2 cannot start it, and says so', async () => {
  const [machine] = await waiting();
  const { workspace } = await placed();
  writeFileSync(refusals, JSON.stringify([{ instanceType: m7g.name, code: 'InsufficientInstanceCapacity' }]));

  await launchNodeOf(workspace);

  const node = await findNode(table, String(workspace.nodeId));
  expect(node).toMatchObject({ instanceType: m7gLarger.name });
  expect(node?.instanceId).not.toBe(machine?.instanceId);
  expect((await messages(workspace))[0]).toBe(
    'EC2 cannot start the waiting machine (InsufficientInstanceCapacity); launching another',
  );
  expect(instances.get(String(machine?.instanceId))?.state).toMatch(/shutting-down|terminated/);
});

it('is not used for a workspace that needs a larger type', async () => {
  const { workspaceId, generation } = await pendingWorkspace(table, {
    resourceRequirements: { minMemoryGb: 12 },
  });
  await place({ workspaceId, generation });

  expect(await waiting()).toHaveLength(1);
});

it('is launched by a later sweep when EC2 refuses the launch', async () => {
  await placed();
  writeFileSync(refusals, JSON.stringify([{ code: 'InsufficientInstanceCapacity' }]));
  await sweep();
  expect(await waiting()).toEqual([]);

  rmSync(refusals);
  await sweep();
  expect(await waiting()).toHaveLength(1);
});

it('is no orphan for the sweep of instances', async () => {
  const [machine] = await waiting();
  await sweeps.sweepInstances({ table, fleet, now: minutes(120), log });

  expect((await waiting()).map(({ instanceId }) => instanceId)).toEqual([machine?.instanceId]);
});
