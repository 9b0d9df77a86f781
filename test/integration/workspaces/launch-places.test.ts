import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Ec2Server } from '../../../local/ec2/ec2-server.js';
import type { InstanceRecord } from '../../../local/ec2/instance-record.js';
import type { Instances } from '../../../local/ec2/instances.js';
import { type LaunchRefusal, refusedLaunchesFile } from '../../../local/ec2/refused-launches.js';
import { freePort } from '../../../local/processes/ports.js';
import { openInstances } from '../../support/instances.js';
import { placedWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

import { loadStep, type RunStep } from './load-step.js';

/** The step LaunchNode against the EC2 stand-in, whose launch templates have versions. */
const table = sharedTable();
const folder = mkdtempSync(join(tmpdir(), 'berth-launch-'));
const [firstSubnet, secondSubnet] = ['subnet-1', 'subnet-2'] as const;
let instances: Instances;
let server: Ec2Server;
let step: RunStep;

beforeAll(async () => {
  instances = await openInstances(folder);
  const upstream = process.env.AWS_ENDPOINT_URL ?? '';
  server = new Ec2Server(instances, upstream);
  const port = await freePort();
  await server.listen(port);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
    DEPLOYMENT_ID: `places-${process.pid}`,
    LAUNCH_TEMPLATE_ID: await updatedTemplate(new EC2Client({ endpoint: upstream })),
    CALLBACK_URL: 'https://api.berth.example',
    SUBNET_IDS: `${firstSubnet},${secondSubnet}`,
    INSTANCE_TYPES: 'm7g.large,m6g.large',
  });
  step = await loadStep('provision-workspace/launch-node');
});
afterEach(() => refuse());
afterAll(async () => {
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

async function launch(): Promise<InstanceRecord | undefined> {
  const { workspace } = await placedWorkspace(
    table,
    { dispatchedAt: null, nodeUrl: null },
    { status: 'provisioning', instanceId: null, host: null, ipAddress: null, lastHeartbeatAt: null },
  );
  const { workspaceId, generation, nodeId } = workspace;
  await step({ workspaceId, generation, nodeId, taskToken: 'of-launch' });
  return instances.ofNode(nodeId ?? '');
}

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

  it('everywhere fails with the error that may pass', async () => {
    refuse(
      { subnetId: firstSubnet, code: 'Unsupported' },
      { subnetId: secondSubnet, code: 'InsufficientInstanceCapacity' },
    );
    await expect(launch()).rejects.toMatchObject({ name: 'InsufficientInstanceCapacity' });
  });

  it('for a reason that no other place changes is not repeated', async () => {
    refuse(
      { subnetId: firstSubnet, code: 'InvalidAMIID.NotFound' },
      { subnetId: secondSubnet, code: 'InvalidAMIID.NotFound' },
    );
    await expect(launch()).rejects.toMatchObject({ name: 'InvalidAMIID.NotFound' });
  });
});
