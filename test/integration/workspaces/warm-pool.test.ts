import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listBootLog } from '../../../lambdas/domain/boot-log/boot-log.js';
import { userData, waitingUserData } from '../../../lambdas/domain/nodes/bootstrap.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { listWarmNodes } from '../../../lambdas/domain/nodes/warm-node.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepInstances } from '../../../lambdas/sweeps/sweep-instances.js';
import { sweepWarmNodes } from '../../../lambdas/sweeps/sweep-warm-nodes.js';
import type { WarmPool } from '../../../lambdas/sweeps/warm-pool.js';
import { Ec2Server } from '../../../local/ec2/ec2-server.js';
import { InstanceRecord } from '../../../local/ec2/instance-record.js';
import type { Instances } from '../../../local/ec2/instances.js';
import { type LaunchRefusal, refusedLaunchesFile } from '../../../local/ec2/refused-launches.js';
import { freePort } from '../../../local/processes/ports.js';
import { openInstances } from '../../support/instances.js';
import { limits, pendingWorkspace } from '../../support/records.js';
import { allSagas } from '../../support/sagas.js';
import { emptyTable } from '../../support/table.js';
import { until } from '../../support/until.js';
import { testObjects } from '../../support/uploads.js';
import { loadStep, type RunStep } from './load-step.js';

/** The pool of waiting instances against the EC2 stand-in; the clock of the sweep is driven. */
const sharedName = process.env.TABLE_NAME;
const type = { name: 'm7g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };
const given = { ...limits, offer: { types: [type], cpuOvercommit: 2 } };
const minute = 60_000;
const deploymentId = `warm-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'berth-warm-'));
let table: Table;
let instances: Instances;
let server: Ec2Server;
let ec2: EC2Client;
let launchTemplateId: string;
let launchNode: RunStep;
let image: string;
let elapsedMs = 0;

beforeAll(async () => {
  table = await emptyTable();
  instances = await openInstances(folder);
  const upstream = process.env.AWS_ENDPOINT_URL ?? '';
  server = new Ec2Server(instances, upstream);
  const port = await freePort();
  await server.listen(port);
  ec2 = new EC2Client({ endpoint: `http://127.0.0.1:${port}` });
  const { LaunchTemplate } = await new EC2Client({ endpoint: upstream }).send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: deploymentId,
      LaunchTemplateData: { ImageId: 'ami-12345678', InstanceType: 't4g.large' },
    }),
  );
  launchTemplateId = LaunchTemplate?.LaunchTemplateId ?? '';
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
    DEPLOYMENT_ID: deploymentId,
    LAUNCH_TEMPLATE_ID: launchTemplateId,
    CALLBACK_URL: 'https://api.berth.example',
    SUBNET_IDS: 'subnet-1',
    INSTANCE_TYPES: JSON.stringify([type]),
    CPU_OVERCOMMIT: '2',
    ROOT_DEVICE: '/dev/xvda',
  });
  launchNode = await loadStep('provision-workspace/launch-node');
});
afterAll(async () => {
  process.env.TABLE_NAME = sharedName;
  ec2.destroy();
  await server.close();
  await instances[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  refuse();
  image = 'ami-1';
  await emptyPool();
});

const refuse = (...refusals: readonly LaunchRefusal[]) =>
  writeFileSync(join(folder, 'ec2', refusedLaunchesFile), JSON.stringify(refusals));
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const stepFunctions = { send: async () => ({}) } as unknown as SFNClient;
const sweepNow = (): Sweep => ({
  table,
  stepFunctions,
  fleet: { client: ec2, deploymentId },
  zone: undefined,
  objects: testObjects(),
  sagas: allSagas(stepFunctions),
  now: new Date(Date.now() + elapsedMs),
  log: silent,
  budgets: newBudgets(),
});
const pool = (size: number): WarmPool => ({
  size,
  type,
  launchTemplateId,
  subnetIds: ['subnet-1'],
  rootDevice: '/dev/xvda',
  currentImage: async () => image,
  newId,
});

async function pass(size: number): Promise<readonly string[]> {
  await sweepWarmNodes(sweepNow(), pool(size));
  return (await listWarmNodes(table)).map(({ status }) => status);
}

/** Passes, each when EC2 has done what the one before asked for, until the pool waits. */
async function fill(size: number): Promise<readonly string[]> {
  await pass(size);
  await settled('running');
  elapsedMs += 6 * minute;
  await pass(size);
  await settled('stopped');
  await pass(size);
  return (await listWarmNodes(table)).map(({ nodeId }) => nodeId);
}

async function emptyPool(): Promise<void> {
  await pass(0);
  await settled('terminated');
  elapsedMs += 6 * minute;
  expect(await pass(0)).toEqual([]);
}

async function settled(state: string): Promise<void> {
  const ids = (await listWarmNodes(table)).map(({ nodeId }) => nodeId);
  await until(
    `the pool is ${state}`,
    () => ids.every((id) => stateOf(id) === state || undefined) || undefined,
  );
}

const stateOf = (nodeId: string) => instances.ofNode(nodeId)?.state ?? 'terminated';
const ofNode = (nodeId: string) => instances.list().filter((record) => record.nodeId === nodeId);

const place = (workspace: Workspace) =>
  placeWorkspace(table, workspace, { now: new Date(), newNodeId: newId(), limits: given });

async function launch(workspaceId: string): Promise<Workspace> {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace) throw new Error('No workspace');
  const { generation, nodeId } = workspace;
  await launchNode({ workspaceId, generation, nodeId, taskToken: 'of-launch' });
  return workspace;
}
const bootLogOf = async (workspace: Workspace) =>
  (await listBootLog(table, workspace)).map(({ entry }) => entry.message);

it('launches, lets boot, and stops as many instances as the deployment wants', async () => {
  expect(await pass(2)).toEqual(['booting', 'booting']);
  await settled('running');
  expect(await pass(2)).toEqual(['booting', 'booting']);
  elapsedMs += 6 * minute;
  await pass(2);
  await settled('stopped');

  expect(await pass(2)).toEqual(['ready', 'ready']);
  expect(await pass(2)).toEqual(['ready', 'ready']);
});

it('gives a waiting instance no id, no address and no token', () => {
  const boot = { NODE_ID: newId(), CONTROL_PLANE_URL: 'https://berth.example', BOOTSTRAP_TOKEN: 'secret' };
  expect(userData(boot)).toContain('BOOTSTRAP_TOKEN=secret');
  expect(waitingUserData()).not.toMatch(/write_files|NODE_ID|TOKEN|http/);
});

it('gives a new node a waiting instance, starts it as this node, and refills', async () => {
  const [waiting = ''] = await fill(1);
  const before = instances.ofNode(waiting)?.instanceId;
  const pending = await pendingWorkspace(table);

  expect(await place(pending)).toEqual({ nodeId: waiting, launch: true, join: false });
  expect(await listWarmNodes(table)).toEqual([]);
  const workspace = await launch(pending.workspaceId);

  await until('it runs', () => stateOf(waiting) === 'running' || undefined);
  expect(await findNode(table, waiting)).toMatchObject({ instanceId: before, instanceType: type.name });
  expect(ofNode(waiting)).toHaveLength(1);
  const env = readFileSync(join(folder, 'ec2', before ?? '', 'node.env'), 'utf8');
  expect(env).toContain(`NODE_ID=${waiting}\n`);
  expect(await bootLogOf(workspace)).toEqual(['A waiting machine (m7g.large) was started']);
  expect(await pass(1)).toEqual(['booting']);
});

it('gives an instance to one of two placements at once', async () => {
  const [waiting] = await fill(1);
  const rivals = await Promise.all([pendingWorkspace(table), pendingWorkspace(table)]);

  const placed = await Promise.all(rivals.map(place));

  expect(placed.filter(({ nodeId }) => nodeId === waiting)).toHaveLength(1);
  expect(new Set(placed.map(({ nodeId }) => nodeId)).size).toBe(2);
});

it('launches another instance when EC2 does not start the waiting one, which ends', async () => {
  const [waiting = ''] = await fill(1);
  const before = instances.ofNode(waiting)?.instanceId ?? '';
  const pending = await pendingWorkspace(table);
  await place(pending);
  refuse({ call: 'StartInstances', code: 'InsufficientInstanceCapacity' });

  const workspace = await launch(pending.workspaceId);

  const node = await findNode(table, waiting);
  expect(node?.instanceId).not.toBe(before);
  expect(instances.get(node?.instanceId ?? '')?.state).toMatch(/pending|running/);
  expect(instances.get(before)?.state).toMatch(/shutting-down|terminated/);
  expect(await bootLogOf(workspace)).toEqual([
    'EC2 did not start the waiting machine (InsufficientInstanceCapacity); a new one is launched',
  ]);
});

it('takes no instance that has not stopped yet, or is of another type', async () => {
  await pass(1);
  const [booting] = await listWarmNodes(table);
  const placed = await place(await pendingWorkspace(table));
  expect(placed.nodeId).not.toBe(booting?.nodeId);

  await emptyPool();
  const [waiting] = await fill(1);
  const larger = { types: [{ ...type, name: 'm7g.xlarge' }], cpuOvercommit: 2 };
  const other = await placeWorkspace(table, await pendingWorkspace(table), {
    ...{ now: new Date(), newNodeId: newId(), limits: { ...limits, offer: larger } },
  });
  expect(other.nodeId).not.toBe(waiting);
});

it('replaces instances of an older image', async () => {
  const [old = ''] = await fill(1);
  image = 'ami-2';

  await pass(1);

  const rows = await listWarmNodes(table);
  expect(rows.map(({ status, imageId }) => `${status} ${imageId}`)).toEqual([
    'retired ami-1',
    'booting ami-2',
  ]);
  expect((await place(await pendingWorkspace(table))).nodeId).not.toBe(old);
  await until('it is gone', () => stateOf(old) === 'terminated' || undefined);
  elapsedMs += 6 * minute;
  await pass(1);
  expect((await listWarmNodes(table)).map(({ nodeId }) => nodeId)).not.toContain(old);
});

it('ends all of them when the setting becomes 0', async () => {
  const ids = await fill(2);

  expect(await pass(0)).toEqual(['retired', 'retired']);
  await settled('terminated');
  elapsedMs += 6 * minute;
  expect(await pass(0)).toEqual([]);
  expect(ids.map(stateOf)).toEqual(['terminated', 'terminated']);
});

it('is no orphan to the sweep of instances, until its row is gone', async () => {
  const [waiting = ''] = await fill(1);
  elapsedMs += 61 * minute;
  await sweepInstances(sweepNow());
  expect(stateOf(waiting)).toBe('stopped');

  await place(await pendingWorkspace(table));
  await sweepInstances(sweepNow());
  expect(stateOf(waiting)).toBe('stopped');
});

it('keeps no row of a launch that EC2 refuses, and tries again', async () => {
  refuse({ call: 'RunInstances', code: 'InsufficientInstanceCapacity' });
  expect(await pass(1)).toEqual([]);
  refuse();
  expect(await pass(1)).toEqual(['booting']);
});

it('replaces an instance that ended while it waited', async () => {
  const [waiting = ''] = await fill(1);
  const record = InstanceRecord.parse(instances.ofNode(waiting));
  instances.terminate(instances.get(record.instanceId) ?? record);
  await until('it is gone', () => stateOf(waiting) === 'terminated' || undefined);

  await pass(1);
  expect(await pass(1)).toEqual(['booting']);
});
