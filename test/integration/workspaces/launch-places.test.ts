import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listBootLog } from '../../../lambdas/domain/boot-log/boot-log.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { launchCooldownKey, startCooldowns } from '../../../lambdas/domain/nodes/launch-cooldown.js';
import { undoLaunch } from '../../../lambdas/domain/nodes/undo-launch.js';
import { waitForSlot } from '../../../lambdas/domain/workspaces/admission.js';
import { NodeLimitReached } from '../../../lambdas/domain/workspaces/errors.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { unplaceWorkspace } from '../../../lambdas/domain/workspaces/unplace-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { Ec2Server } from '../../../local/ec2/ec2-server.js';
import type { InstanceRecord } from '../../../local/ec2/instance-record.js';
import type { Instances } from '../../../local/ec2/instances.js';
import { type LaunchRefusal, refusedLaunchesFile } from '../../../local/ec2/refused-launches.js';
import { freePort } from '../../../local/processes/ports.js';
import { emulatorAccess } from '../../support/emulator-access.js';
import { openInstances } from '../../support/instances.js';
import { limits, pendingWorkspace, placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';

import { loadStep, type RunStep } from './load-step.js';

/** The step LaunchNode against the EC2 stand-in, whose launch templates have versions. */
const sharedName = process.env.TABLE_NAME;
/** Cooldowns are of the whole deployment. */
let table: Table;
const folder = mkdtempSync(join(tmpdir(), 'berth-launch-'));
const m7g = { name: 'm7g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };
const m6g = { ...m7g, name: 'm6g.large' };
const [firstSubnet, secondSubnet] = ['subnet-1', 'subnet-2'] as const;
let instances: Instances;
let server: Ec2Server;
let step: RunStep;

beforeAll(async () => {
  table = await emptyTable();
  instances = await openInstances(folder);
  const upstream = process.env.AWS_ENDPOINT_URL ?? '';
  server = new Ec2Server(instances, emulatorAccess());
  const port = await freePort();
  await server.listen(port);
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    // The client repeats a throttled request for seconds, which these tests would wait for.
    AWS_MAX_ATTEMPTS: '1',
    AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
    DEPLOYMENT_ID: `places-${process.pid}`,
    LAUNCH_TEMPLATE_ID: await updatedTemplate(new EC2Client({ endpoint: upstream })),
    CALLBACK_URL: 'https://api.berth.example',
    SUBNET_IDS: `${firstSubnet},${secondSubnet}`,
    INSTANCE_TYPES: JSON.stringify([m7g, m6g]),
    CPU_OVERCOMMIT: '2',
    ROOT_DEVICE: '/dev/xvda',
  });
  step = await loadStep('provision-workspace/launch-node');
});
afterEach(() => refuse());
afterAll(async () => {
  process.env.TABLE_NAME = sharedName;
  await server.close();
  await instances[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Like CloudFormation, an update adds a version and does not move the default version. */
async function updatedTemplate(ec2: EC2Client): Promise<string> {
  const data = { ImageId: 'ami-12345678', InstanceType: 't4g.large' } as const;
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: `places-${process.pid}`,
      LaunchTemplateData: data,
    }),
  );
  const LaunchTemplateId = LaunchTemplate?.LaunchTemplateId ?? '';
  await ec2.send(
    new CreateLaunchTemplateVersionCommand({
      LaunchTemplateId,
      LaunchTemplateData: { ImageId: 'ami-87654321', InstanceType: 'm7g.large' },
    }),
  );
  return LaunchTemplateId;
}

const refuse = (...refusals: readonly LaunchRefusal[]) =>
  writeFileSync(join(folder, 'ec2', refusedLaunchesFile), JSON.stringify(refusals));

/** A node that is to be launched for its workspace. */
async function unlaunched(): Promise<Workspace> {
  const { workspace } = await placedWorkspace(
    table,
    { dispatchedAt: null, nodeUrl: null },
    { status: 'provisioning', instanceId: null, host: null, ipAddress: null, lastHeartbeatAt: null },
  );
  return workspace;
}

async function launch(given?: Workspace): Promise<InstanceRecord | undefined> {
  const workspace = given ?? (await unlaunched());
  const { workspaceId, generation, nodeId } = workspace;
  await step({ workspaceId, generation, nodeId, taskToken: 'of-launch' });
  return instances.ofNode(nodeId ?? '');
}

/** In the order in which its launch tries them. */
const subnetsOf = ({ nodeId }: Workspace) =>
  String(nodeId).charCodeAt(25) % 2 === 0 ? [firstSubnet, secondSubnet] : [secondSubnet, firstSubnet];

it('launches from the newest version of the template, not from the default version', async () => {
  expect(await launch()).toMatchObject({ instanceType: 'm7g.large', imageId: 'ami-87654321' });
});

describe('a launch that EC2 refuses', () => {
  it.each([
    'InsufficientInstanceCapacity',
    'InsufficientHostCapacity',
    'InsufficientFreeAddressesInSubnet',
    'InsufficientVolumeCapacity',
    'InvalidSubnetID.NotFound',
    'Unsupported',
    'VolumeTypeNotAvailableInZone',
  ])('in one subnet with %s is made in the other', async (code) => {
    for (const [refused, other] of [
      [firstSubnet, secondSubnet],
      [secondSubnet, firstSubnet],
    ] as const) {
      refuse({ subnetId: refused, code });
      expect(await launch()).toMatchObject({ subnetId: other, instanceType: 'm7g.large' });
    }
  });

  it.each(['InsufficientInstanceCapacity', 'InstanceLimitExceeded', 'Unsupported', 'VcpuLimitExceeded'])(
    'for one instance type with %s is made with the next type',
    async (code) => {
      refuse({ instanceType: 'm7g.large', code });
      expect(await launch()).toMatchObject({ instanceType: 'm6g.large' });
    },
  );

  it('because EC2 throttles the account is tried with the next type, then in the next zone', async () => {
    refuse({ instanceType: 'm7g.large', code: 'RequestLimitExceeded' });
    expect(await launch()).toMatchObject({ instanceType: 'm6g.large' });

    const workspace = await unlaunched();
    const [start, other] = subnetsOf(workspace);
    refuse({ subnetId: start, code: 'RequestLimitExceeded' });
    expect(await launch(workspace)).toMatchObject({ subnetId: other, instanceType: 'm7g.large' });
  });

  it('everywhere for reasons of which one may pass gives the node up, and another is tried later', async () => {
    refuse(
      { subnetId: firstSubnet, code: 'Unsupported' },
      { subnetId: secondSubnet, code: 'InsufficientInstanceCapacity' },
    );
    await expect(launch()).rejects.toMatchObject({ name: 'NodeLaunchRefused' });
  });

  it('everywhere for reasons that stay fails with the error', async () => {
    refuse({ code: 'Unsupported' });
    await expect(launch()).rejects.toMatchObject({ name: 'Unsupported' });
  });

  it('for a reason that no other place changes is not repeated', async () => {
    refuse(
      { subnetId: firstSubnet, code: 'InvalidAMIID.NotFound' },
      { subnetId: secondSubnet, code: 'InvalidAMIID.NotFound' },
    );
    await expect(launch()).rejects.toMatchObject({ name: 'InvalidAMIID.NotFound' });
  });
});

describe('a type that EC2 refuses', () => {
  const offer = { types: [m7g, m6g], cpuOvercommit: 2 };
  const place = (workspace: Workspace, now = new Date()) =>
    placeWorkspace(table, workspace, { now, nodeIdFor: async () => newId(), limits: { ...limits, offer } });
  const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const cool = (...types: readonly string[]) =>
    startCooldowns(table, exhausted(types, 'InsufficientInstanceCapacity'), new Date());
  const exhausted = (types: readonly string[], code: string) => types.map((type) => ({ type, code }));
  const messages = async (workspace: Workspace) =>
    (await listBootLog(table, workspace)).map(({ entry }) => entry.message);

  beforeEach(async () => {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...launchCooldownKey } }));
  });

  it('is followed by the next type in the same zone, then by the other zone; the boot log has each', async () => {
    const workspace = await unlaunched();
    const [start, other] = subnetsOf(workspace);
    refuse({ subnetId: start, code: 'InsufficientInstanceCapacity' });

    expect(await launch(workspace)).toMatchObject({ subnetId: other, instanceType: m7g.name });
    expect(await messages(workspace)).toEqual([
      `EC2 has no m7g.large in ${start} at present; trying m6g.large`,
      `EC2 has no m6g.large in ${start} at present; trying m7g.large in another zone (${other})`,
    ]);
  });

  it('everywhere is not launched for ten minutes: the next type is, then work waits', async () => {
    refuse({ code: 'InsufficientInstanceCapacity' });
    await expect(launch()).rejects.toMatchObject({ name: 'NodeLaunchRefused' });
    refuse();

    const workspace = await pendingWorkspace(table);
    await expect(place(workspace)).rejects.toMatchObject({
      name: 'NodeLimitReached',
      code: 'NODE_LAUNCH_PAUSED',
      reason: expect.stringMatching(/^EC2 has no m7g.large or m6g.large at present. The next node .* UTC\.$/),
    });
    const { nodeId, launch: isNew } = await place(workspace, later(11));
    expect(isNew).toBe(true);
    expect((await findNode(table, nodeId))?.instanceType).toBe(m7g.name);
  });

  it('is skipped by a placement while another type holds the workspace', async () => {
    await cool(m7g.name);
    const workspace = await pendingWorkspace(table);
    expect((await findNode(table, (await place(workspace)).nodeId))?.instanceType).toBe(m6g.name);
  });

  it.each(['VcpuLimitExceeded', 'RequestLimitExceeded'])(
    'because of the account (%s) stops all launches',
    async (code) => {
      refuse({ code });
      const workspace = await unlaunched();
      await expect(launch(workspace)).rejects.toMatchObject({ name: 'NodeLaunchRefused' });

      // Of four places: once a type for VcpuLimitExceeded, three at most for the other.
      const refused = await messages(workspace);
      expect(refused).toHaveLength(code === 'VcpuLimitExceeded' ? 2 : 3);
      expect(refused.at(-1)).toContain('no other type or zone is left');
      const held = { ...limits, offer: { ...offer, types: [{ ...m7g, name: 'c8g.large' }] } };
      const other = await pendingWorkspace(table);
      await expect(
        placeWorkspace(table, other, { now: new Date(), nodeIdFor: async () => newId(), limits: held }),
      ).rejects.toMatchObject({ code: 'NODE_LAUNCH_PAUSED', reason: expect.stringContaining('AWS account') });
    },
    30_000,
  );

  it('gives its node up: each workspace is placed again, and the wait is counted from its start', async () => {
    const workspace = await pendingWorkspace(table);
    const now = new Date();
    await cool(m7g.name, m6g.name);
    const full = await place(workspace).catch((error: unknown) => error as NodeLimitReached);
    if (!(full instanceof NodeLimitReached)) throw new Error('It was placed');
    await waitForSlot(table, workspace, { full, now });
    const small = { minMemoryGb: 1, minDiskGb: 1 };
    const joined = await pendingWorkspace(table, { userId: workspace.userId, resourceRequirements: small });
    const { nodeId } = await place(workspace, later(11));
    expect(await place(joined, later(11))).toMatchObject({ nodeId, join: true });

    const launchedFor = workspace.workspaceId;
    await undoLaunch(table, { nodeId, launchedFor, isStopped: false, mayHaveFiles: false, now });
    for (const each of [workspace, joined]) await unplaceWorkspace(table, { ...each, nodeId }, now);

    const row = await findWorkspace(table, workspace.workspaceId);
    expect(row).toMatchObject({ status: 'pending', admissionWaitingSince: now.toISOString() });
    const late = await waitForSlot(table, workspace, { full, now: later(121) });
    expect(late.error.message).toContain('EC2 has no');
  });
});
