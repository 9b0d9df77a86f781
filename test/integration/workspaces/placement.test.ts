import { describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { readFleet } from '../../../lambdas/domain/nodes/node-quota.js';
import { reservationFor } from '../../../lambdas/domain/nodes/reservation.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import { reservationOf } from '../../../lambdas/domain/workspaces/reservation.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { slotOf, type Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, limits, pendingWorkspace, putNode } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const place = (workspace: Workspace, given = limits) =>
  placeWorkspace(table, workspace, { now: new Date(), nodeIdFor: async () => newId(), limits: given });

describe('placing a workspace', () => {
  it('creates a node with a slot already taken when there is none', async () => {
    const workspace = await pendingWorkspace(table);

    const placement = await place(workspace);

    const node = await findNode(table, placement.nodeId);
    expect(placement.launch).toBe(true);
    expect(node).toMatchObject({ status: 'provisioning', launchedFor: workspace.workspaceId });
    expect(node?.slots).toEqual(new Set([slotOf(workspace)]));
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({
      status: 'provisioning',
      nodeId: placement.nodeId,
      version: 2,
    });
  });

  it('returns the same slot when repeated', async () => {
    const workspace = await pendingWorkspace(table);
    const first = await place(workspace);

    const second = await place(workspace);

    expect(second).toEqual(first);
    expect((await readFleet(table, workspace.userId)).nodes).toHaveLength(1);
  });

  it('chooses the node that is least full', async () => {
    const userId = newId();
    await putNode(table, aNode({ userId, slots: new Set(['X#1', 'Y#1']) }));
    const emptiest = await putNode(table, aNode({ userId, slots: new Set(['A#1']) }));
    const workspace = await pendingWorkspace(table, { userId });

    expect(await place(workspace)).toEqual({ nodeId: emptiest.nodeId, launch: false, join: false });
  });

  it.each([
    ['is silent', { lastHeartbeatAt: new Date(Date.now() - 400_000).toISOString() }],
    ['is stopping', { status: 'stopping' as const }],
    [
      'holds somebody who wants to be alone',
      { slots: new Set(['X#1']), reservations: { 'X#1': reservationFor({ exclusiveNode: true }) } },
    ],
  ])('leaves a node alone that %s', async (_, overrides) => {
    const userId = newId();
    await putNode(table, aNode({ userId, ...overrides }));
    const workspace = await pendingWorkspace(table, { userId });

    expect(await place(workspace)).toMatchObject({ launch: true });
  });

  it('uses a node after its exclusive workspace has left', async () => {
    const userId = newId();
    const left = { 'X#1': reservationFor({ exclusiveNode: true }) };
    const node = await putNode(table, aNode({ userId, reservations: left }));
    const workspace = await pendingWorkspace(table, { userId });

    expect(await place(workspace)).toEqual({ nodeId: node.nodeId, launch: false, join: false });
    expect((await findNode(table, node.nodeId))?.reservations).toEqual({
      [slotOf(workspace)]: reservationOf(workspace),
    });
  });

  it('shares no node with an exclusive workspace', async () => {
    const userId = newId();
    await putNode(table, aNode({ userId, slots: new Set(['X#1']) }));
    const workspace = await pendingWorkspace(table, {
      userId,
      resourceRequirements: { exclusiveNode: true },
    });

    const { nodeId, launch } = await place(workspace);

    expect(launch).toBe(true);
    expect((await findNode(table, nodeId))?.reservations).toMatchObject({
      [slotOf(workspace)]: { exclusiveNode: true },
    });
  });

  it('never exceeds the capacity of a node when many workspaces race for the last slot', async () => {
    const userId = newId();
    const node = await putNode(table, aNode({ userId, slots: new Set(['X#1', 'Y#1']) }));
    const rivals = await Promise.all(Array.from({ length: 5 }, () => pendingWorkspace(table, { userId })));

    const placements = await Promise.all(rivals.map((rival) => place(rival)));

    expect(placements.filter(({ nodeId }) => nodeId === node.nodeId)).toHaveLength(1);
    expect((await findNode(table, node.nodeId))?.slots?.size).toBe(3);
    // The other four share two new nodes.
    expect(new Set(placements.map(({ nodeId }) => nodeId)).size).toBe(3);
  });

  it('never exceeds the nodes of a person when requests race', async () => {
    const userId = newId();
    const rivals = await Promise.all(Array.from({ length: 4 }, () => pendingWorkspace(table, { userId })));

    const placed = await Promise.allSettled(
      rivals.map((rival) => place(rival, { ...limits, nodeCapacity: 1, maxNodesPerUser: 2 })),
    );

    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(placed.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'NodeLimitReached' },
    });
    expect((await readFleet(table, userId)).nodes).toHaveLength(2);
  });

  it('refuses a workspace that was stopped first', async () => {
    const workspace = await pendingWorkspace(table);
    await claimStop(table, { ...workspace, now: new Date() });

    await expect(place(workspace)).rejects.toMatchObject({ name: 'WorkspaceStopped' });
  });
});

describe('releasing a slot', () => {
  it('does not release the slot of a later generation on the same node', async () => {
    const workspace = await pendingWorkspace(table);
    const { nodeId } = await place(workspace);
    const later = slotOf({ ...workspace, generation: 2 });
    await putNode(
      table,
      aNode({ nodeId, userId: workspace.userId, slots: new Set([slotOf(workspace), later]) }),
    );

    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now: new Date() });
    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now: new Date() });

    expect((await findNode(table, nodeId))?.slots).toEqual(new Set([later]));
  });
});
