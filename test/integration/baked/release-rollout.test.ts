import { randomUUID } from 'node:crypto';
import { type EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeEach, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { type Cloud, takeOver } from '../../../scripts/release/take-over.js';
import { aNode, limits, pendingWorkspace, placedWorkspace, putNode } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const now = new Date();
const [older, newer] = [
  { release: 'a'.repeat(40), agentVersion: '0.1.0+aaaaaaaaaaaa', imageId: 'ami-0000000000000000a' },
  { release: 'b'.repeat(40), agentVersion: '0.1.0+bbbbbbbbbbbb', imageId: 'ami-0000000000000000b' },
];

let cloud: Cloud;
let imageParameter: string;
/** The nodes that EC2 reports. Simulated: the emulator's instances are no nodes. */
let nodeIds: (string | undefined)[];
let warmNodeId: string | undefined;
let terminated: string[];

beforeEach(async () => {
  nodeIds = [];
  warmNodeId = undefined;
  terminated = [];
  imageParameter = `/berth-${randomUUID()}/ami/arm64`;
  const ec2 = {
    send: async (command: object) => {
      if (command instanceof TerminateInstancesCommand) terminated.push(...(command.input.InstanceIds ?? []));
      return {
        Reservations: [...nodeIds, warmNodeId].map((nodeId) => ({
          Instances: [
            {
              InstanceId: nodeId === warmNodeId ? 'i-warm' : 'i-1',
              Tags: nodeId
                ? [
                    { Key: 'berth:node', Value: nodeId },
                    ...(nodeId === warmNodeId ? [{ Key: 'berth:warm', Value: 'true' }] : []),
                  ]
                : [],
            },
          ],
        })),
      };
    },
  } as unknown as EC2Client;
  const bucket = `artifacts-${randomUUID()}`;
  cloud = {
    s3: new S3Client({}),
    bucket,
    ssm: new SSMClient({}),
    fleet: { client: ec2, deploymentId: 't' },
    table,
  };
  await cloud.s3.send(new CreateBucketCommand({ Bucket: bucket }));
});

const take = (change: typeof newer) => takeOver(cloud, { ...change, imageParameter, now });

async function launchedImage() {
  const { Parameter } = await cloud.ssm.send(new GetParameterCommand({ Name: imageParameter }));
  return Parameter?.Value;
}

async function latest() {
  const { Body } = await cloud.s3.send(
    new GetObjectCommand({ Bucket: cloud.bucket, Key: 'agents/latest.json' }),
  );
  return JSON.parse((await Body?.transformToString()) ?? '');
}

it('launches new nodes from the release, and serves it as download', async () => {
  await take(newer);

  expect(await launchedImage()).toBe(newer.imageId);
  expect(await latest()).toEqual({ release: newer.release });
});

it('retires nodes of other releases, and nodes that have not reported a release', async () => {
  const { node: busy } = await placedWorkspace(
    table,
    { status: 'running' },
    { agentVersion: older.agentVersion },
  );
  const empty = await putNode(table, aNode({ agentVersion: older.agentVersion }));
  const booting = await putNode(
    table,
    aNode({ status: 'provisioning', agentVersion: null, slots: new Set(['X#1']) }),
  );
  const current = await putNode(table, aNode({ agentVersion: newer.agentVersion }));
  const going = await putNode(table, aNode({ status: 'deleting', agentVersion: older.agentVersion }));
  nodeIds = [busy.nodeId, empty.nodeId, booting.nodeId, current.nodeId, going.nodeId, newId(), undefined];

  expect(await take(newer)).toEqual({ current: 1, draining: 2, empty: 1, gone: 2 });

  for (const { nodeId } of [busy, empty, booting])
    expect(await findNode(table, nodeId)).toMatchObject({ retiredAt: now.toISOString() });
  expect(await findNode(table, busy.nodeId)).toMatchObject({ status: 'running', slots: busy.slots });
  expect((await findNode(table, current.nodeId))?.retiredAt).toBeUndefined();
});

it('terminates the machines that wait with the image of another release', async () => {
  warmNodeId = newId();
  await take(newer);
  expect(terminated).toEqual(['i-warm']);

  // A node since its claim: retired as the others are.
  await putNode(table, aNode({ nodeId: warmNodeId, agentVersion: older.agentVersion }));
  terminated = [];
  await take(newer);
  expect(terminated).toEqual([]);
  expect((await findNode(table, warmNodeId))?.retiredAt).toBeDefined();
});

it('places no workspace on a retired node', async () => {
  const workspace = await pendingWorkspace(table);
  const node = await putNode(table, aNode({ userId: workspace.userId, agentVersion: older.agentVersion }));
  nodeIds = [node.nodeId];
  await take(newer);

  const place = await placeWorkspace(table, workspace, { now, nodeIdFor: async () => newId(), limits });

  expect(place).toMatchObject({ launch: true });
  expect(place.nodeId).not.toBe(node.nodeId);
});

it('changes nothing when repeated, and can be rolled back', async () => {
  const node = await putNode(table, aNode({ agentVersion: newer.agentVersion }));
  nodeIds = [node.nodeId];
  expect(await take(newer)).toEqual(await take(newer));
  expect((await findNode(table, node.nodeId))?.retiredAt).toBeUndefined();

  expect(await take(older)).toMatchObject({ empty: 1 });

  expect(await launchedImage()).toBe(older.imageId);
  expect(await latest()).toEqual({ release: older.release });
});
