import type { EC2Client } from '@aws-sdk/client-ec2';
import type { ChangeResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { nodeKey } from '../../../lambdas/domain/nodes/node.js';
import {
  clearPendingReconcile,
  listPendingReconciles,
  pendingReconcileItem,
} from '../../../lambdas/domain/records/pending-reconcile.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { releaseSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import { notPlaced } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepInstances } from '../../../lambdas/sweeps/sweep-instances.js';
import { sweepNode } from '../../../lambdas/sweeps/sweep-node.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import { aNode, pendingWorkspace, placedWorkspace, putNode } from '../../support/records.js';
import { allSagas } from '../../support/sagas.js';
import { emptyTable, sharedTable } from '../../support/table.js';
import { testObjects } from '../../support/uploads.js';

const table = sharedTable();
const minute = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minute).toISOString();
const silent = { debug() {}, info() {}, warn() {}, error() {} };

let started: string[];
let terminated: string[];
let answered: string[];
let instances: readonly Record<string, unknown>[];

// The two clients are played, for what they would have to be made to do takes hours: the sweep
// sends them plain commands.
const stepFunctions = {
  send: async ({ input }: { input: { name?: string; taskToken?: string; error?: string } }) => {
    if (input.name) started.push(input.name);
    else answered.push(`${input.taskToken} ${input.error}`);
    return {};
  },
} as unknown as SFNClient;
const ec2 = {
  send: async ({ input }: { input: { InstanceIds?: string[] } }) => {
    terminated.push(...(input.InstanceIds ?? []));
    return { Reservations: [{ Instances: instances }] };
  },
} as unknown as EC2Client;

const sweep: Sweep = {
  table,
  stepFunctions,
  fleet: { client: ec2, deploymentId: 'test' },
  zone: undefined,
  objects: testObjects(),
  sagas: allSagas(stepFunctions),
  now: new Date(),
  log: silent,
  budgets: newBudgets(),
};

beforeEach(() => {
  started = [];
  terminated = [];
  answered = [];
  instances = [];
});

describe('the name of a workspace', () => {
  const names: string[] = [];
  const route53 = {
    send: async ({ input }: ChangeResourceRecordSetsCommand) => {
      for (const { Action, ResourceRecordSet } of input.ChangeBatch?.Changes ?? []) {
        names.push(`${Action} ${ResourceRecordSet?.Name} ${ResourceRecordSet?.ResourceRecords?.[0]?.Value}`);
      }
    },
  } as unknown as Route53Client;
  const zoned: Sweep = { ...sweep, zone: { client: route53, domain: 'nodes.example', zoneId: 'Z' } };

  beforeEach(() => {
    names.length = 0;
  });

  it.each(['deleted', 'stopped', 'errored'] as const)(
    'is removed from DNS once the workspace is %s',
    async (status) => {
      const { workspace } = await placedWorkspace(table, { status, namedAddress: '192.0.2.7' });

      expect(await sweepWorkspace(zoned, workspace.workspaceId)).toBe(true);

      expect(names).toEqual([`DELETE ws-${workspace.workspaceId.toLowerCase()}.nodes.example 192.0.2.7`]);
    },
  );

  it('is removed together with the names of its ports', async () => {
    const { workspace } = await placedWorkspace(table, {
      status: 'stopped',
      namedAddress: '192.0.2.7',
      previewPorts: new Set(['3000', '5173']),
    });

    await sweepWorkspace(zoned, workspace.workspaceId);

    const name = `ws-${workspace.workspaceId.toLowerCase()}`;
    expect(new Set(names)).toEqual(
      new Set([name, `${name}--3000`, `${name}--5173`].map((one) => `DELETE ${one}.nodes.example 192.0.2.7`)),
    );
  });

  it('stays in DNS while the workspace runs', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running', namedAddress: '192.0.2.7' });

    await sweepWorkspace(zoned, workspace.workspaceId);

    expect(names).toEqual([]);
  });

  it('is removed by the next sweep when DNS cannot be changed', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'deleted', namedAddress: '192.0.2.7' });
    const broken = { send: () => Promise.reject(new Error('Throttling')) } as unknown as Route53Client;
    const zone = { client: broken, domain: 'nodes.example', zoneId: 'Z' };

    await expect(sweepWorkspace({ ...sweep, zone }, workspace.workspaceId)).rejects.toThrow('Throttling');
  });
});

describe('the sweep of a workspace', () => {
  it('starts the saga of a workspace whose saga was not started for two minutes', async () => {
    const fresh = await pendingWorkspace(table);
    const forgotten = await pendingWorkspace(table, { statusChangedAt: ago(3) });

    await sweepWorkspace(sweep, fresh.workspaceId);
    await sweepWorkspace(sweep, forgotten.workspaceId);

    expect(started).toEqual([`${forgotten.workspaceId}-1`]);
  });

  it('fails a provisioning without result after an hour, and releases its slot and node', async () => {
    const { workspace, node } = await placedWorkspace(table, { statusChangedAt: ago(61) });

    await sweepWorkspace(sweep, workspace.workspaceId);

    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({ status: 'errored' });
    const after = await findNode(table, node.nodeId);
    expect(after).toMatchObject({ status: 'deleting' });
    expect(after?.slots).toBeUndefined();
  });

  it('ends a wake without result after 45 minutes, and keeps the snapshot', async () => {
    const wake = { operationId: newId(), claimedAt: ago(50), attempt: 1, phase: 'restoring' } as const;
    const waking = { status: 'running', generation: 2, wake } as const;
    const young = await placedWorkspace(table, { ...waking, statusChangedAt: ago(44) });
    const old = await placedWorkspace(table, { ...waking, statusChangedAt: ago(46) });

    expect(await sweepWorkspace(sweep, young.workspace.workspaceId)).toBe(false);
    expect(await sweepWorkspace(sweep, old.workspace.workspaceId)).toBe(false);

    expect(await findWorkspace(table, young.workspace.workspaceId)).toMatchObject({
      status: 'running',
      wake,
    });
    const row = await findWorkspace(table, old.workspace.workspaceId);
    expect(row).toMatchObject({ status: 'sleeping', wakeFailure: { attempts: 1 } });
    expect(row?.wake).toBeUndefined();
    expect((await findNode(table, old.node.nodeId))?.slots).toBeUndefined();
  });

  it('continues an interrupted stop, and releases the slot after 30 minutes', async () => {
    const { workspace, node } = await placedWorkspace(table, {
      status: 'stopping',
      statusChangedAt: ago(31),
    });

    await sweepWorkspace(sweep, workspace.workspaceId);

    expect(answered).toEqual(['token-of-create WorkspaceStopped']);
    expect(started).toEqual([`${workspace.workspaceId}-1-stop`]);
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({ status: 'stopped' });
    const after = await findNode(table, node.nodeId);
    expect(after?.slots).toBeUndefined();
    expect(after?.retiredAt).toBeDefined();
  });

  it('continues an interrupted deletion, and starts another attempt after a day', async () => {
    const deletion = { attempt: 1, claimedAt: ago(27 * 60) };
    const young = await placedWorkspace(table, { status: 'stopping', deletion, updatedAt: ago(5) });
    const old = await placedWorkspace(table, { status: 'stopping', deletion, updatedAt: ago(27 * 60) });

    await sweepWorkspace(sweep, young.workspace.workspaceId);
    await sweepWorkspace(sweep, old.workspace.workspaceId);

    expect(started).toEqual([
      `${young.workspace.workspaceId}-delete-1`,
      `${old.workspace.workspaceId}-delete-2`,
    ]);
  });

  it('removes the marker of a workspace in a final state', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });

    expect(await sweepWorkspace(sweep, workspace.workspaceId)).toBe(true);
    expect(await sweepWorkspace(sweep, newId())).toBe(true);
  });
});

describe('the sweep of a node', () => {
  it('removes only a node that has been empty for half an hour', async () => {
    const idle = await putNode(table, aNode({ slotsChangedAt: ago(31) }));
    const warm = await putNode(table, aNode({ slotsChangedAt: ago(29) }));
    const { node: busy } = await placedWorkspace(table, {}, { slotsChangedAt: ago(99) });

    for (const { nodeId } of [idle, warm, busy]) await sweepNode(sweep, nodeId);

    expect(started).toEqual([`${idle.nodeId}-delete-1`]);
    expect(await findNode(table, warm.nodeId)).toMatchObject({ status: 'running' });
  });

  it('treats a silent node as lost only when EC2 reports its instance ended', async () => {
    const { workspace, node } = await placedWorkspace(
      table,
      { status: 'running' },
      { lastHeartbeatAt: ago(10) },
    );
    instances = [{ InstanceId: 'i-1', State: { Name: 'running' } }];
    await sweepNode(sweep, node.nodeId);
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({ status: 'running' });

    instances = [{ InstanceId: 'i-1', State: { Name: 'terminated' } }];
    await sweepNode(sweep, node.nodeId);

    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({ status: 'errored' });
    expect(started).toEqual([`${node.nodeId}-delete-1`]);
  });

  it('leaves a lost node to the next sweep while a workspace that is placed elsewhere holds a slot', async () => {
    const { workspace, node } = await placedWorkspace(
      table,
      { status: 'running' },
      { lastHeartbeatAt: ago(10) },
    );
    const { workspaceId, generation } = workspace;
    await changeWorkspace(table, {
      workspaceId,
      set: { generation: generation + 1, nodeId: null },
      index: notPlaced,
      now: sweep.now,
    });
    instances = [{ InstanceId: 'i-1', State: { Name: 'terminated' } }];

    expect(await sweepNode(sweep, node.nodeId)).toBe(false);
    expect(started).toEqual([]);

    const release = { nodeId: node.nodeId, nodeConfirmed: true, now: sweep.now };
    await transact(table, [releaseSlot(workspace, release)]);
    const nextHour = new Date(sweep.now.getTime() + 60 * minute);
    await sweepNode({ ...sweep, now: nextHour, budgets: newBudgets() }, node.nodeId);
    expect(started).toEqual([`${node.nodeId}-delete-1`]);
  });

  it('does not fail when a lost node is gone in that moment', async () => {
    const node = await putNode(table, aNode({ slotsChangedAt: ago(31) }));
    const calls: string[] = [];
    const vanishing = {
      ...table,
      client: {
        send: async (command: { input: { Item?: object } }) => {
          calls.push(command.constructor.name);
          // The marker is written before the claim of the removal.
          if (command instanceof PutCommand)
            await table.client.send(new DeleteCommand({ TableName: table.name, Key: nodeKey(node.nodeId) }));
          return table.client.send(command as never);
        },
      },
    } as unknown as Table;

    expect(await sweepNode({ ...sweep, table: vanishing }, node.nodeId)).toBe(false);

    expect(calls).toContain('PutCommand');
    expect(started).toEqual([]);
  });

  it('continues an interrupted removal, and starts another attempt after its saga failed', async () => {
    const removal = { mode: 'delete', attempt: 1, claimedAt: ago(200) } as const;
    const young = await putNode(table, aNode({ status: 'deleting', removal, updatedAt: ago(3) }));
    const old = await putNode(table, aNode({ status: 'deleting', removal, updatedAt: ago(130) }));

    await sweepNode(sweep, young.nodeId);
    await sweepNode(sweep, old.nodeId);

    expect(started).toEqual([`${young.nodeId}-delete-1`, `${old.nodeId}-delete-2`]);
  });
});

it('terminates only old instances that no existing node names', async () => {
  const known = await putNode(table, aNode({ instanceId: 'i-known' }));
  const gone = await putNode(table, aNode({ status: 'deleted' }));
  const instance = (InstanceId: string, nodeId: string | undefined, minutes = 61) => ({
    InstanceId,
    LaunchTime: new Date(ago(minutes)),
    State: { Name: 'running' },
    Tags: nodeId ? [{ Key: 'berth:node', Value: nodeId }] : [],
  });
  instances = [
    instance('i-known', known.nodeId),
    instance('i-twin', known.nodeId),
    instance('i-gone', gone.nodeId),
    instance('i-unheard-of', newId()),
    instance('i-young', newId(), 59),
    instance('i-by-hand', undefined),
  ];

  await sweepInstances(sweep);

  expect(terminated).toEqual(['i-twin', 'i-gone', 'i-unheard-of']);
});

it('terminates at most five instances in one pass', async () => {
  instances = Array.from({ length: 6 }, (_, index) => ({
    InstanceId: `i-${index}`,
    LaunchTime: new Date(ago(61)),
    State: { Name: 'running' },
    Tags: [{ Key: 'berth:node', Value: newId() }],
  }));

  await sweepInstances(sweep);

  expect(terminated).toEqual(['i-0', 'i-1', 'i-2', 'i-3', 'i-4']);
});

it('keeps a marker that was renewed since the sweep read it', async () => {
  const own = await emptyTable();
  const pending = { kind: 'NODE', id: newId(), marker: '1' } as const;
  const put = (marker: string) =>
    own.client.send(
      new PutCommand({ TableName: own.name, Item: pendingReconcileItem({ ...pending, marker }) }),
    );
  await put('1');
  await put('2');

  await clearPendingReconcile(own, pending);

  expect(await listPendingReconciles(own)).toEqual([{ ...pending, marker: '2' }]);
  await clearPendingReconcile(own, { ...pending, marker: '2' });
  expect(await listPendingReconciles(own)).toEqual([]);
});
