import { describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { type Offer, resourceNames, resourcesOf } from '../../../lambdas/domain/nodes/instance-types.js';
import { readFleet } from '../../../lambdas/domain/nodes/node-quota.js';
import { reservationFor } from '../../../lambdas/domain/nodes/reservation.js';
import { placesOn } from '../../../lambdas/domain/nodes/room.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aProject, putItem } from '../../support/project.js';
import {
  aNewWorkspace,
  aNode,
  limits,
  pendingWorkspace,
  placedWorkspace,
  putNode,
  putWorkspace,
} from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const large = { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };
const xlarge = { name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 };
const offer: Offer = { types: [large, xlarge], cpuOvercommit: 2 };
const ladder = { ...limits, offer, nodeCapacity: 8 };

const place = (workspace: Workspace, given = ladder) =>
  placeWorkspace(table, workspace, { now: new Date(), nodeIdFor: async () => newId(), limits: given });
const wanting = (userId: string, resourceRequirements: Workspace['resourceRequirements'] = {}) =>
  pendingWorkspace(table, { userId, resourceRequirements });
const present = async (nodeId: string) => {
  const node = await findNode(table, nodeId);
  if (!node) throw new Error('There is no such node');
  return node;
};

describe('a new node', () => {
  it.each([
    [{}, 't4g.large'],
    [{ minMemoryGb: 8 }, 't4g.xlarge'],
    [{ minDiskGb: 100 }, 't4g.xlarge'],
  ])('for %j is of the smallest type that holds it', async (requirements, name) => {
    const { nodeId } = await place(await wanting(newId(), requirements));

    const { instanceType, resources, reservations } = await present(nodeId);
    expect(instanceType).toBe(name);
    expect(resources).toEqual(resourcesOf(name === 't4g.large' ? large : xlarge));
    expect(Object.values(reservations ?? {})).toEqual([reservationFor(requirements)]);
  });

  it('is not made for what no type holds', async () => {
    const userId = newId();
    await expect(place(await wanting(userId, { minMemoryGb: 64 }))).rejects.toMatchObject({
      code: 'RESOURCES_TOO_LARGE',
    });
    expect((await readFleet(table, userId)).count).toBe(0);
  });
});

describe('a node with room in all but one resource', () => {
  it.each([
    ['CPU', { minVcpu: 5, minMemoryGb: 1, minDiskGb: 1 }],
    ['memory', { minVcpu: 1, minMemoryGb: 12, minDiskGb: 1 }],
    ['disk', { minVcpu: 1, minMemoryGb: 1, minDiskGb: 100 }],
  ])('gets no workspace that needs more %s', async (_, requirements) => {
    const userId = newId();
    const reservations = { 'X#1': reservationFor({}), 'Y#1': reservationFor({}) };
    const slots = new Set(Object.keys(reservations));
    const node = aNode({ userId, capacity: 8, resources: resourcesOf(xlarge), reservations, slots });
    await putNode(table, node);

    expect((await place(await wanting(userId))).nodeId).toBe(node.nodeId);
    expect((await place(await wanting(userId, requirements))).launch).toBe(true);
  });

  it('gets none while it is saturated, until a beat says otherwise', async () => {
    const userId = newId();
    const calm = { version: 1, cpuLoadAvg1: 0, memoryPercent: 10, diskPercent: 10 } as const;
    const lastMetrics = { ...calm, creatingWorkspaces: 0, containers: [] };
    const node = aNode({ userId, resources: resourcesOf(xlarge), lastMetrics });
    await putNode(table, { ...node, lastMetrics: { ...lastMetrics, memoryPercent: 91 } });
    expect((await place(await wanting(userId))).nodeId).not.toBe(node.nodeId);

    await putNode(table, node);
    expect((await place(await wanting(userId))).nodeId).toBe(node.nodeId);
  });
});

it('reserves no more than a node has when claims and releases of all sizes race', async () => {
  const userId = newId();
  const sizes = [{}, { minMemoryGb: 1, minDiskGb: 10 }, { minVcpu: 4 }, { minMemoryGb: 7, minDiskGb: 20 }];
  const all = await Promise.all(Array.from({ length: 24 }, (_, n) => wanting(userId, sizes[n % 4] ?? {})));

  await Promise.all(
    all.map(async (workspace, index) => {
      await place(workspace, { ...ladder, maxNodesPerUser: 24 });
      if (index % 3 === 0)
        for (const _ of [1, 2])
          await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now: new Date() });
    }),
  );

  const { nodes } = await readFleet(table, userId);
  expect(nodes.reduce((sum, { slots }) => sum + (slots?.size ?? 0), 0)).toBe(16);
  for (const { resources, reservations = {}, slots = new Set<string>() } of nodes)
    for (const name of resourceNames) {
      const taken = [...slots].reduce((sum, slot) => sum + (reservations[slot]?.[name] ?? Number.NaN), 0);
      expect(taken).toBeLessThanOrEqual((resources?.[name] ?? 0) * (name === 'cpuMillis' ? 2 : 1));
    }
});

it('gives the room of a released workspace to another exactly once', async () => {
  const userId = newId();
  const first = await wanting(userId);
  const { nodeId } = await place(first);
  await putNode(table, { ...(await present(nodeId)), status: 'running', lastHeartbeatAt: soon() });
  for (const _ of [1, 2, 3])
    await releaseWorkspaceSlot(table, first, { nodeConfirmed: true, now: new Date() });

  expect(placesOn(await present(nodeId), reservationFor({}), 2)).toBe(1);
  expect((await place(await wanting(userId))).nodeId).toBe(nodeId);
  expect((await place(await wanting(userId))).launch).toBe(true);
});

it('gives the room of a workspace from before reservations to another exactly once', async () => {
  const { workspace, node } = await placedWorkspace(
    table,
    { status: 'running' },
    { resources: resourcesOf(large), capacity: 2, reservations: undefined },
  );
  expect(placesOn(await present(node.nodeId), reservationFor({}), 2)).toBe(0);
  for (const _ of [1, 2, 3])
    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now: new Date() });

  expect(placesOn(await present(node.nodeId), reservationFor({}), 2)).toBe(1);
});

it('a project limits the workspaces of the nodes that hold one of it', async () => {
  const project = aProject({ settings: { maxWorkspacesPerNode: 2 } });
  await putItem(table, projectItem(project));
  const { projectId, userId } = project;
  const host = { userId, capacity: 8, resources: resourcesOf(xlarge) };
  const { nodeId } = await putNode(table, aNode({ ...host, slots: new Set(['X#1']) }));
  const ofProject = () => putWorkspace(table, aNewWorkspace({ userId, projectId }));

  expect((await place(await ofProject())).nodeId).toBe(nodeId);
  const second = await place(await ofProject());
  expect(second).toMatchObject({ launch: true });
  expect((await findNode(table, second.nodeId))?.capacity).toBe(2);
});

it('a project limits them for the workspaces of other projects too', async () => {
  const project = aProject({ settings: { maxWorkspacesPerNode: 2 } });
  await putItem(table, projectItem(project));
  const { projectId, userId } = project;
  const host = { userId, capacity: 8, resources: resourcesOf(xlarge) };
  const { nodeId } = await putNode(table, aNode({ ...host, slots: new Set(['X#1']) }));
  expect((await place(await putWorkspace(table, aNewWorkspace({ userId, projectId })))).nodeId).toBe(nodeId);

  expect(await place(await wanting(userId))).toMatchObject({ launch: true });
});

describe('the strategy of the project', () => {
  it.each([
    [undefined, 'emptier'],
    ['balanced', 'emptier'],
    ['pack', 'fuller'],
    ['spread', 'emptier'],
  ] as const)('%s chooses the %s node', async (placementStrategy, expected) => {
    const project = aProject(placementStrategy ? { settings: { placementStrategy } } : {});
    await putItem(table, projectItem(project));
    const { projectId, userId } = project;
    const host = { userId, capacity: 8, resources: resourcesOf(xlarge) };
    const emptier = await putNode(table, aNode(host));
    const reservations = { 'X#1': reservationFor({}) };
    const fuller = await putNode(table, aNode({ ...host, reservations, slots: new Set(['X#1']) }));
    const workspace = await putWorkspace(table, aNewWorkspace({ userId, projectId }));

    expect((await place(workspace)).nodeId).toBe({ emptier, fuller }[expected].nodeId);
  });
});

const soon = () => new Date().toISOString();
