import { describe, expect, it } from 'vitest';
import { beginRemoval } from '../../../lambdas/domain/nodes/begin-removal.js';
import {
  issueBootstrapToken,
  newBootstrapToken,
  redeemBootstrapToken,
} from '../../../lambdas/domain/nodes/bootstrap.js';
import { findNode, listNodesOf } from '../../../lambdas/domain/nodes/find-node.js';
import { markNodeReady } from '../../../lambdas/domain/nodes/mark-node-ready.js';
import { markNodeDeleted } from '../../../lambdas/domain/nodes/mark-removed.js';
import { recordHeartbeat } from '../../../lambdas/domain/nodes/record-heartbeat.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releasePlace } from '../../../lambdas/domain/workspaces/release-place.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { sharedTable } from '../../support/table.js';
import { aNode, limits, pendingWorkspace, placedWorkspace, putNode } from './builders.js';

const table = sharedTable();
const now = new Date();
const refused = { code: 'INVALID_TOKEN' };

describe('a bootstrap token', () => {
  const redemptionId = 'a'.repeat(32);
  const issued = async () => {
    const boot = { nodeId: newId(), token: newBootstrapToken() };
    await issueBootstrapToken(table, { ...boot, launchedFor: newId(), now });
    return boot;
  };
  const redeem = (boot: { nodeId: string; token: string }, id = redemptionId, at = now) =>
    redeemBootstrapToken(table, { ...boot, redemptionId: id }, at);

  it('is redeemed once, and again by the same redemption', async () => {
    const boot = await issued();

    await redeem(boot);
    await redeem(boot);

    await expect(redeem(boot, 'b'.repeat(32))).rejects.toMatchObject(refused);
  });

  it('lets one of two redemptions win', async () => {
    const boot = await issued();

    const outcomes = await Promise.allSettled([redeem(boot, 'c'.repeat(32)), redeem(boot, 'd'.repeat(32))]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('is refused when it is wrong, of another node, or has expired', async () => {
    const boot = await issued();
    const later = new Date(now.getTime() + 16 * 60_000);

    await expect(redeem({ ...boot, token: newBootstrapToken() })).rejects.toMatchObject(refused);
    await expect(redeem({ ...boot, nodeId: newId() })).rejects.toMatchObject(refused);
    await expect(redeem(boot, redemptionId, later)).rejects.toMatchObject(refused);
    await redeem(boot);
    await expect(redeem(boot, redemptionId, later)).rejects.toMatchObject(refused);
  });

  it('stays redeemed, and is not issued anew', async () => {
    const boot = await issued();
    await redeem(boot);

    const again = { ...boot, launchedFor: newId(), token: newBootstrapToken(), now };
    expect(await issueBootstrapToken(table, again)).toBe(false);

    await expect(redeem(boot)).resolves.toMatchObject({ launchedFor: expect.any(String) });
  });

  it('takes the place of one that nobody has redeemed', async () => {
    const boot = await issued();
    const token = newBootstrapToken();

    expect(await issueBootstrapToken(table, { ...boot, launchedFor: newId(), token, now })).toBe(true);

    await expect(redeem(boot)).rejects.toMatchObject(refused);
    await redeem({ ...boot, token });
  });
});

describe('a node', () => {
  const ready = { agentVersion: '1', role: 'standalone', port: 4443, certificatePem: 'PEM' } as const;

  it('runs once its agent is ready, and says so again from another port', async () => {
    const { nodeId } = await putNode(table, aNode({ status: 'provisioning', agentReadyAt: null }));

    const first = await markNodeReady(table, nodeId, { ready, now });
    const again = await markNodeReady(table, nodeId, { ready: { ...ready, port: 5555 }, now: new Date() });

    expect(first).toMatchObject({ status: 'running', role: 'standalone', port: 4443 });
    expect(again).toMatchObject({ port: 5555, agentReadyAt: first.agentReadyAt });
  });

  it('has nothing to report once it is being deleted', async () => {
    const { nodeId } = await putNode(table, aNode({ status: 'deleting' }));
    const heartbeat = { agentVersion: '1', activeWorkspaces: 0 };

    await expect(markNodeReady(table, nodeId, { ready, now })).rejects.toMatchObject({ kind: 'gone' });
    await expect(recordHeartbeat(table, nodeId, { heartbeat, now })).rejects.toMatchObject({ kind: 'gone' });
    await expect(recordHeartbeat(table, newId(), { heartbeat, now })).rejects.toMatchObject({ kind: 'gone' });
  });

  it('is not removed while a workspace holds a place on it', async () => {
    const { workspace, node } = await placedWorkspace(table, { status: 'running' });
    const request = { nodeId: node.nodeId, userId: node.userId, mode: 'delete', now } as const;

    await expect(beginRemoval(table, request)).rejects.toMatchObject({
      code: 'NODE_HAS_ACTIVE_WORKSPACES',
      details: [{ field: 'workspaces', message: workspace.workspaceId }],
    });
    await expect(beginRemoval(table, { ...request, mode: 'stop' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('takes no workspace once its removal has begun', async () => {
    const userId = newId();
    const node = await putNode(table, aNode({ userId }));
    await beginRemoval(table, { nodeId: node.nodeId, userId, mode: 'delete', now });
    const workspace = await pendingWorkspace(table, { userId });

    const placed = await placeWorkspace(table, workspace, { now, newNodeId: newId(), limits });

    expect(placed.nodeId).not.toBe(node.nodeId);
  });

  it('is removed as an undo only for the workspace it was launched for', async () => {
    const node = await putNode(table, aNode());
    const request = { nodeId: node.nodeId, mode: 'delete', now } as const;

    await expect(beginRemoval(table, { ...request, launchedFor: newId() })).rejects.toMatchObject({
      name: 'NodeNotInState',
    });
    await expect(beginRemoval(table, { ...request, launchedFor: node.launchedFor })).resolves.toMatchObject({
      status: 'deleting',
    });
  });

  it('gives its place in the quota back when it is gone, and leaves the list', async () => {
    const workspace = await pendingWorkspace(table);
    const one = { ...limits, maxNodesPerUser: 1 };
    const { nodeId } = await placeWorkspace(table, workspace, { now, newNodeId: newId(), limits: one });
    await releasePlace(table, workspace, { heard: true, now });
    await beginRemoval(table, { nodeId, mode: 'delete', now });

    await markNodeDeleted(table, nodeId, now);
    await markNodeDeleted(table, nodeId, now);

    const next = await pendingWorkspace(table, { userId: workspace.userId });
    expect(await listNodesOf(table, workspace.userId)).toEqual([]);
    expect((await findNode(table, nodeId))?.terminationConfirmedAt).toBe(now.toISOString());
    await expect(
      placeWorkspace(table, next, { now, newNodeId: newId(), limits: one }),
    ).resolves.toMatchObject({ launch: true });
  });
});
