import { describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, limits, pendingWorkspace, putNode } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const place = (workspace: Workspace) =>
  placeWorkspace(table, workspace, { now: new Date(), nodeIdFor: async () => newId(), limits });
const wanting = (userId: string, maxCoTenants?: number) =>
  pendingWorkspace(table, {
    userId,
    resourceRequirements: maxCoTenants === undefined ? null : { maxCoTenants },
  });

describe('a workspace with maxCoTenants', () => {
  it('gets a node with fewer workspaces, and limits later ones', async () => {
    const userId = newId();
    const full = await putNode(table, aNode({ userId, slots: new Set(['A#1', 'B#1']) }));
    const node = await putNode(table, aNode({ userId, slots: new Set(['X#1']) }));

    expect((await place(await wanting(userId, 1))).nodeId).toBe(node.nodeId);
    expect((await place(await wanting(userId))).nodeId).toBe(full.nodeId);
    expect((await place(await wanting(userId))).launch).toBe(true);
  });

  it('is alone on a new node with a limit of zero', async () => {
    const userId = newId();
    const { nodeId } = await place(await wanting(userId, 0));
    await putNode(table, { ...(await present(nodeId)), status: 'running', lastHeartbeatAt: soon() });

    expect((await place(await wanting(userId))).nodeId).not.toBe(nodeId);
  });

  it('leaves no limit on the node once it is empty', async () => {
    const userId = newId();
    const node = await putNode(table, aNode({ userId }));
    const strict = await wanting(userId, 0);
    await place(strict);
    await releaseWorkspaceSlot(table, strict, { nodeConfirmed: true, now: new Date() });

    for (const _ of [1, 2]) expect((await place(await wanting(userId))).nodeId).toBe(node.nodeId);
  });

  it('keeps its limit when placements race', async () => {
    const userId = newId();
    const node = await putNode(table, aNode({ userId, slots: new Set(['X#1']) }));
    const rivals = await Promise.all([1, 1, undefined, undefined].map((most) => wanting(userId, most)));

    await Promise.all(rivals.map(place));

    const { slots = new Set(), reservations = {} } = await present(node.nodeId);
    const strictest = Math.min(...[...slots].map((slot) => reservations[slot]?.maxCoTenants ?? 2));
    expect(slots.size).toBeLessThanOrEqual(strictest + 1);
  });
});

describe('a workspace with a requested node', () => {
  const on = (userId: string, wantedNodeId: string, more: Partial<Workspace> = {}) =>
    pendingWorkspace(table, { userId, wantedNodeId, ...more });

  it('is placed there although another node is fuller', async () => {
    const userId = newId();
    await putNode(table, aNode({ userId, slots: new Set(['X#1']) }));
    const { nodeId } = await putNode(table, aNode({ userId }));

    expect(await place(await on(userId, nodeId))).toEqual({ nodeId, launch: false, join: false });
  });

  it('waits while that node is full, and fails when it gets no more workspaces', async () => {
    const userId = newId();
    const full = await putNode(table, aNode({ userId, slots: new Set(['A#1', 'B#1', 'C#1']) }));
    const retired = await putNode(table, aNode({ userId, retiredAt: new Date().toISOString() }));

    await expect(place(await on(userId, full.nodeId))).rejects.toMatchObject({ name: 'NodeLimitReached' });
    for (const wanted of [retired.nodeId, newId()])
      await expect(place(await on(userId, wanted))).rejects.toMatchObject({
        name: 'RequestedNodeUnavailable',
      });
  });
});

async function present(nodeId: string): Promise<Node> {
  const node = await findNode(table, nodeId);
  if (!node) throw new Error('There is no such node');
  return node;
}

const soon = () => new Date().toISOString();
