import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeVpcsCommand,
  EC2Client,
  RebootInstancesCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Ec2Server } from '../../../local/ec2/ec2-server.js';
import { bootsNothingFile, type Instances } from '../../../local/ec2/instances.js';
import { freePort } from '../../../local/processes/ports.js';
import { identify } from '../../../local/processes/process-identity.mjs';
import { bootEnvPath } from '../../../protocol/boot.js';
import { emulatorAccess } from '../../support/emulator-access.js';
import { openInstances } from '../../support/instances.js';
import { until } from '../../support/until.js';

const nodeId = '01J0000000000000000000000A';
let folder: string;
let instances: Instances;
let server: Ec2Server;
let ec2: EC2Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-ec2-'));
  instances = await openInstances(folder);
  const port = await freePort();
  server = new Ec2Server(instances, emulatorAccess());
  await server.listen(port);
  ec2 = new EC2Client({ endpoint: `http://127.0.0.1:${port}`, maxAttempts: 1 });
});
afterEach(async () => {
  ec2.destroy();
  await server.close();
  await instances[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function run(over: { readonly node?: string; readonly token?: string; readonly userData?: string } = {}) {
  const node = over.node ?? nodeId;
  const content = `NODE_ID=${node}\nCONTROL_PLANE_URL=http://localhost:1\nBOOTSTRAP_TOKEN=t\n`;
  const userData =
    over.userData ?? `#cloud-config\n${JSON.stringify({ write_files: [{ path: bootEnvPath, content }] })}`;
  return ec2.send(
    new RunInstancesCommand({
      MinCount: 1,
      MaxCount: 1,
      ClientToken: over.token ?? node,
      UserData: Buffer.from(userData).toString('base64'),
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'berth:node', Value: node }] }],
    }),
  );
}

const idOf = async (launched: ReturnType<typeof run>) => (await launched).Instances?.[0]?.InstanceId ?? '';

async function describeOne(instanceId: string) {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
  return Reservations?.[0]?.Instances?.[0];
}

const untilState = (instanceId: string, wanted: string) =>
  until(`${instanceId} is ${wanted}`, async () => {
    const instance = await describeOne(instanceId);
    return instance?.State?.Name === wanted ? instance : undefined;
  });

const untilAgent = (instanceId: string, isWanted: (pid: number) => boolean = () => true) =>
  until('an agent runs', () => {
    const pid = instances.agentPid(instanceId);
    return pid !== undefined && isWanted(pid) ? pid : undefined;
  });

it('boots an agent for an instance of a node, and reports its address and tags', async () => {
  const id = await idOf(run());

  const instance = await untilState(id, 'running');
  await untilAgent(id);

  expect(instance.PublicIpAddress).toBe('127.0.0.1');
  expect(instance.Tags).toEqual([{ Key: 'berth:node', Value: nodeId }]);
});

it('launches one instance for one client token, however often and at once it is asked', async () => {
  const ids = await Promise.all([idOf(run()), idOf(run())]);
  ids.push(await idOf(run()));

  expect(new Set(ids).size).toBe(1);
  expect(instances.list()).toHaveLength(1);
});

it('refuses a client token that was used for another node', async () => {
  await run({ token: 'same' });

  await expect(run({ token: 'same', node: '01J0000000000000000000000B' })).rejects.toMatchObject({
    name: 'IdempotentParameterMismatch',
  });
});

it('refuses user data that no agent could boot from', async () => {
  await expect(run({ userData: '#!/bin/sh' })).rejects.toMatchObject({ name: 'InvalidUserData.Malformed' });
  expect(instances.list()).toEqual([]);
});

it('starts an agent again that died', async () => {
  const id = await idOf(run());
  const killed = await untilAgent(id);

  process.kill(killed, 'SIGKILL');

  await untilAgent(id, (pid) => pid !== killed);
});

it('stops, starts, reboots and terminates', async () => {
  const id = await idOf(run());
  const first = await untilAgent(id);
  await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  const stopped = await untilState(id, 'stopped');
  expect([identify(first), stopped.PublicIpAddress]).toEqual([undefined, undefined]);

  await ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
  await untilState(id, 'running');
  const second = await untilAgent(id);
  await ec2.send(new RebootInstancesCommand({ InstanceIds: [id] }));
  const third = await untilAgent(id, (pid) => pid !== second);

  const { TerminatingInstances } = await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  expect(TerminatingInstances?.[0]?.CurrentState?.Name).toBe('shutting-down');
  await untilState(id, 'terminated');
  expect(identify(third)).toBeUndefined();
  expect(await idOf(run())).toBe(id);
});

it('boots nothing while its image is broken', async () => {
  writeFileSync(join(folder, 'ec2', bootsNothingFile), '');

  const id = await idOf(run());

  await untilState(id, 'running');
  expect(instances.agentPid(id)).toBeUndefined();
});

it('brings back what had power, on another port when its own is taken', async () => {
  const id = await idOf(run());
  await untilAgent(id);
  const before = { ...instances.get(id) };
  await instances[Symbol.asyncDispose]();
  const stranger = createServer().listen({ port: before.port, host: '127.0.0.1' });
  try {
    instances = await openInstances(folder);
    expect(await instances.restore()).toBe(1);

    await untilAgent(id);
    expect(instances.get(id)).toMatchObject({ nodeId, state: 'running' });
    expect(instances.get(id)?.port).not.toBe(before.port);
  } finally {
    stranger.close();
  }
});

it('adds tags, finds by them, and knows no instance of others', async () => {
  const id = await idOf(run());
  await ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'berth:stack', Value: 'x' }] }));
  const find = async (value: string) => {
    const Filters = [{ Name: 'tag:berth:stack', Values: [value] }];
    return (await ec2.send(new DescribeInstancesCommand({ Filters }))).Reservations?.length ?? 0;
  };

  expect([await find('x'), await find('y')]).toEqual([1, 0]);
  await expect(describeOne('i-00000000000000000')).rejects.toMatchObject({
    name: 'InvalidInstanceID.NotFound',
  });
});

it('passes what does not concern its instances on to the emulator', async () => {
  const { Vpcs } = await ec2.send(new DescribeVpcsCommand({}));

  expect(Vpcs).toBeInstanceOf(Array);
});
