import { describe, expect, it } from 'vitest';
import { changeNode } from '../../../lambdas/domain/nodes/change-node.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { readFleet } from '../../../lambdas/domain/nodes/node-quota.js';
import { undoLaunch } from '../../../lambdas/domain/nodes/undo-launch.js';
import { waitForSlot } from '../../../lambdas/domain/workspaces/admission.js';
import { nodeLimitReached } from '../../../lambdas/domain/workspaces/errors.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { unplaceWorkspace } from '../../../lambdas/domain/workspaces/unplace-workspace.js';
import { slotOf, type Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { limits, pendingWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const large = { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60 };
const xlarge = { name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 };
const place = (workspace: Workspace, given = limits) =>
  placeWorkspace(table, workspace, { now: new Date(), nodeIdFor: async () => newId(), limits: given });

const pending = (userId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => pendingWorkspace(table, { userId })));

const rowOf = ({ workspaceId }: Workspace) => findWorkspace(table, workspaceId);

const wait = (workspace: Workspace, now: Date, queuePosition = 1) =>
  waitForSlot(table, workspace, { full: nodeLimitReached(1, queuePosition), now });

describe('a burst of workspaces of one person', () => {
  it.each([
    [30, 10],
    [12, 4],
  ])('places %i at once on %i nodes, each launched once', async (count, nodes) => {
    const userId = newId();
    const burst = await pending(userId, count);

    const placements = await Promise.all(burst.map((workspace) => place(workspace)));

    const fleet = await readFleet(table, userId);
    expect(fleet.nodes.map(({ slots }) => slots?.size)).toEqual(Array.from({ length: nodes }, () => 3));
    expect(placements.filter(({ launch }) => launch)).toHaveLength(nodes);
    expect(placements.filter(({ join }) => join)).toHaveLength(count - nodes);
  });

  it.each([
    ['the default types', [large, xlarge], 10, 1],
    ['the type for three first', [xlarge, large], 30, 3],
  ])('with %s fills ten nodes, and the others wait without an error', async (_, types, placed, each) => {
    const userId = newId();
    const burst = await pending(userId, 30);
    const given = { ...limits, offer: { types, cpuOvercommit: 2 } };

    const outcomes = await Promise.allSettled(burst.map((workspace) => place(workspace, given)));

    const { nodes } = await readFleet(table, userId);
    expect(nodes.map(({ slots }) => slots?.size)).toEqual(Array.from({ length: 10 }, () => each));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(placed);
    for (const outcome of outcomes.filter((one) => one.status === 'rejected'))
      expect(outcome.reason).toMatchObject({ name: 'NodeLimitReached' });
  });

  it('lets what does not fit wait, and keeps the order', async () => {
    const userId = newId();
    const oneSlot = { ...limits, nodeCapacity: 1, maxNodesPerUser: 1 };
    const [first, second, third] = await pending(userId, 3);
    if (!first || !second || !third) throw new Error('Three were asked for');
    await place(first, oneSlot);

    await expect(place(second, oneSlot)).rejects.toMatchObject({ queuePosition: 1 });
    await wait(second, new Date());
    await expect(place(third, oneSlot)).rejects.toMatchObject({ queuePosition: 2 });
    await wait(third, new Date(), 2);
    await releaseWorkspaceSlot(table, first, { nodeConfirmed: true, now: new Date() });

    await expect(place(third, oneSlot)).rejects.toMatchObject({ queuePosition: 2 });
    expect(await place(second, oneSlot)).toMatchObject({ launch: false });
    expect(await rowOf(third)).toMatchObject({ status: 'pending', admissionQueuePosition: 2 });
    expect((await rowOf(second))?.admissionReason).toBeUndefined();
  });
});

it('places 100 workspaces of ten people at once on 40 nodes', async () => {
  const people = Array.from({ length: 10 }, newId);
  const burst = (await Promise.all(people.map((userId) => pending(userId, 10)))).flat();

  const placements = await Promise.all(burst.map((workspace) => place(workspace)));

  const fleets = await Promise.all(people.map((userId) => readFleet(table, userId)));
  expect(fleets.map(({ nodes }) => nodes.length)).toEqual(people.map(() => 4));
  expect(placements.filter(({ launch }) => launch)).toHaveLength(40);
});

describe('a workspace that waits for a slot', () => {
  it('shows the reason and the next retry, and gives up after two hours', async () => {
    const workspace = await pendingWorkspace(table);
    const now = new Date();

    const { error } = await wait(workspace, now);

    expect(error.name).toBe('NoRoomYet');
    expect(await rowOf(workspace)).toMatchObject({
      admissionReason: 'All of your 1 nodes are full or do not answer (limit 1).',
      admissionNextRetryAt: new Date(now.getTime() + 60_000).toISOString(),
      admissionWaitingSince: now.toISOString(),
      version: 2,
    });
    const late = await wait(workspace, new Date(now.getTime() + 2 * 60 * 60_000 + 1));
    expect(late.error).toMatchObject({ name: 'NodeLimitReached' });
  });

  it('does not wait once it is stopped', async () => {
    const workspace = await pendingWorkspace(table);
    await claimStop(table, { ...workspace, now: new Date() });

    const { waiting } = await wait(workspace, new Date());

    expect(waiting).toBeUndefined();
    await expect(place(workspace)).rejects.toMatchObject({ name: 'WorkspaceStopped' });
  });
});

describe('a node that is being launched with several workspaces', () => {
  async function launched() {
    const [launcher, joined] = await pending(newId(), 2);
    if (!launcher || !joined) throw new Error('Two were asked for');
    const { nodeId } = await place(launcher);
    expect(await place(joined)).toEqual({ nodeId, launch: false, join: true });
    const undo = { nodeId, launchedFor: launcher.workspaceId, mayHaveFiles: false, now: new Date() };
    return { launcher, joined, nodeId, undo };
  }

  it('is removed when its launch fails, and the others are placed again', async () => {
    const { launcher, joined, nodeId, undo } = await launched();
    await releaseWorkspaceSlot(table, launcher, { nodeConfirmed: true, now: new Date() });

    expect(await undoLaunch(table, { ...undo, isStopped: false })).toMatchObject({ status: 'deleting' });
    expect(await undoLaunch(table, { ...undo, isStopped: false })).toMatchObject({ status: 'deleting' });
    await unplaceWorkspace(table, { ...joined, nodeId }, new Date());
    await unplaceWorkspace(table, { ...joined, nodeId }, new Date());

    expect(await rowOf(joined)).toMatchObject({ status: 'pending', nodeId: null });
    expect((await findNode(table, nodeId))?.slots).toBeUndefined();
    const again = await place(joined);
    expect(again).toMatchObject({ launch: true });
    expect(again.nodeId).not.toBe(nodeId);
  });

  it('keeps booting for the others when the first workspace is stopped', async () => {
    const { launcher, joined, nodeId, undo } = await launched();
    await changeNode(table, { nodeId, set: { instanceId: 'i-1' }, now: new Date() });
    await releaseWorkspaceSlot(table, launcher, { nodeConfirmed: true, now: new Date() });

    expect(await undoLaunch(table, { ...undo, isStopped: true })).toBeUndefined();
    expect(await findNode(table, nodeId)).toMatchObject({
      status: 'provisioning',
      slots: new Set([slotOf(joined)]),
    });
  });

  it('is removed when the first workspace is stopped before there is an instance', async () => {
    const { launcher, nodeId, undo } = await launched();
    await releaseWorkspaceSlot(table, launcher, { nodeConfirmed: true, now: new Date() });

    await undoLaunch(table, { ...undo, isStopped: true });

    expect((await findNode(table, nodeId))?.status).toBe('deleting');
  });

  it('is kept with its workspaces once it was ready', async () => {
    const { launcher, nodeId, undo } = await launched();
    await changeNode(table, { nodeId, move: 'ready', to: 'running', now: new Date() });
    await releaseWorkspaceSlot(table, launcher, { nodeConfirmed: true, now: new Date() });

    expect(await undoLaunch(table, { ...undo, isStopped: false })).toBeUndefined();
    expect((await findNode(table, nodeId))?.status).toBe('running');
  });

  it('does not place a workspace again that was stopped', async () => {
    const { joined, nodeId } = await launched();
    await claimStop(table, { ...joined, now: new Date() });

    await expect(unplaceWorkspace(table, { ...joined, nodeId }, new Date())).rejects.toMatchObject({
      name: 'WorkspaceStopped',
    });
    expect(await rowOf(joined)).toMatchObject({ status: 'stopping', nodeId });
  });
});
