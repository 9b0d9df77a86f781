import { describe, expect, it } from 'vitest';
import {
  issueBootstrapToken,
  newBootstrapToken,
  redeemBootstrapToken,
} from '../../../lambdas/domain/nodes/bootstrap.js';
import { changeNode } from '../../../lambdas/domain/nodes/change-node.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { readFleet } from '../../../lambdas/domain/nodes/node-quota.js';
import { markNodeReady, recordHeartbeat } from '../../../lambdas/domain/nodes/node-reports.js';
import { beginRemoval, markNodeRemoved } from '../../../lambdas/domain/nodes/removal.js';
import { proofWithoutNode } from '../../../lambdas/domain/workspaces/confirm-deletion.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import { nodeView } from '../../../lambdas/http/nodes/node-view.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, limits, pendingWorkspace, placedWorkspace, putNode } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

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

  it('is redeemed once, and again with the same redemption id', async () => {
    const boot = await issued();

    await redeem(boot);
    await redeem(boot);

    await expect(redeem(boot, 'b'.repeat(32))).rejects.toMatchObject(refused);
  });

  it('accepts one of two concurrent redemptions', async () => {
    const boot = await issued();

    const outcomes = await Promise.allSettled([redeem(boot, 'c'.repeat(32)), redeem(boot, 'd'.repeat(32))]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('is refused when it is wrong, belongs to another node, or has expired', async () => {
    const boot = await issued();
    const later = new Date(now.getTime() + 16 * 60_000);

    await expect(redeem({ ...boot, token: newBootstrapToken() })).rejects.toMatchObject(refused);
    await expect(redeem({ ...boot, nodeId: newId() })).rejects.toMatchObject(refused);
    await expect(redeem(boot, redemptionId, later)).rejects.toMatchObject(refused);
    await redeem(boot);
    await expect(redeem(boot, redemptionId, later)).rejects.toMatchObject(refused);
  });

  it('is not issued again after its redemption', async () => {
    const boot = await issued();
    await redeem(boot);

    const again = { ...boot, launchedFor: newId(), token: newBootstrapToken(), now };
    expect(await issueBootstrapToken(table, again)).toBe(false);

    await expect(redeem(boot)).resolves.toMatchObject({ launchedFor: expect.any(String) });
  });

  it('replaces a token that was not redeemed', async () => {
    const boot = await issued();
    const token = newBootstrapToken();

    expect(await issueBootstrapToken(table, { ...boot, launchedFor: newId(), token, now })).toBe(true);

    await expect(redeem(boot)).rejects.toMatchObject(refused);
    await redeem({ ...boot, token });
  });
});

describe('a node', () => {
  const ready = { agentVersion: '1', role: 'standalone', port: 4443, certificatePem: 'PEM' } as const;

  it('runs once its agent reports ready, and accepts a later report with another port', async () => {
    const { nodeId } = await putNode(table, aNode({ status: 'provisioning', agentReadyAt: null }));

    const first = await markNodeReady(table, nodeId, { ready, now });
    const again = await markNodeReady(table, nodeId, { ready: { ...ready, port: 5555 }, now: new Date() });

    expect(first).toMatchObject({ status: 'running', role: 'standalone', port: 4443 });
    expect(again).toMatchObject({ port: 5555, agentReadyAt: first.agentReadyAt });
  });

  it('shows the certificate that its last heartbeat reports', async () => {
    const { nodeId } = await putNode(table, aNode({ status: 'running' }));
    const report = { agentVersion: '1', activeWorkspaces: 0 };
    const certificate = {
      state: 'failed',
      reason: 'rateLimited: too many',
      nextAttemptAt: now.toISOString(),
    } as const;

    const failed = await recordHeartbeat(table, nodeId, { heartbeat: { ...report, certificate }, now });
    expect(nodeView(failed, now).certificate).toEqual(certificate);

    const without = await recordHeartbeat(table, nodeId, { heartbeat: report, now });
    expect(nodeView(without, now).certificate).toBeNull();
  });

  it('gets 410 for its reports once its deletion has started', async () => {
    const { nodeId } = await putNode(table, aNode({ status: 'deleting' }));
    const heartbeat = { agentVersion: '1', activeWorkspaces: 0 };

    await expect(markNodeReady(table, nodeId, { ready, now })).rejects.toMatchObject({ kind: 'gone' });
    await expect(recordHeartbeat(table, nodeId, { heartbeat, now })).rejects.toMatchObject({ kind: 'gone' });
    await expect(recordHeartbeat(table, newId(), { heartbeat, now })).rejects.toMatchObject({ kind: 'gone' });
  });

  it('is not removed while a workspace holds a slot on it', async () => {
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

  it('gets no workspace once its removal has started', async () => {
    const userId = newId();
    const node = await putNode(table, aNode({ userId }));
    await beginRemoval(table, { nodeId: node.nodeId, userId, mode: 'delete', now });
    const workspace = await pendingWorkspace(table, { userId });

    const placed = await placeWorkspace(table, workspace, { now, nodeIdFor: async () => newId(), limits });

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

  it('leaves quota and list when it is deleted', async () => {
    const workspace = await pendingWorkspace(table);
    const one = { ...limits, maxNodesPerUser: 1 };
    const { nodeId } = await placeWorkspace(table, workspace, {
      now,
      nodeIdFor: async () => newId(),
      limits: one,
    });
    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });
    await beginRemoval(table, { nodeId, mode: 'delete', now });

    await markNodeRemoved(table, { nodeId, mode: 'delete', now });
    await markNodeRemoved(table, { nodeId, mode: 'delete', now });

    const next = await pendingWorkspace(table, { userId: workspace.userId });
    expect((await readFleet(table, workspace.userId)).nodes).toEqual([]);
    expect((await findNode(table, nodeId))?.terminationConfirmedAt).toBe(now.toISOString());
    await expect(
      placeWorkspace(table, next, { now, nodeIdFor: async () => newId(), limits: one }),
    ).resolves.toMatchObject({ launch: true });
  });

  it('leaves the quota when it is stopped, and stays listed until it is deleted', async () => {
    const workspace = await pendingWorkspace(table);
    const one = { ...limits, maxNodesPerUser: 1 };
    const { nodeId } = await placeWorkspace(table, workspace, {
      now,
      nodeIdFor: async () => newId(),
      limits: one,
    });
    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });
    await changeNode(table, { nodeId, set: { status: 'running' }, now });
    await beginRemoval(table, { nodeId, mode: 'stop', now });

    await markNodeRemoved(table, { nodeId, mode: 'stop', now });
    await markNodeRemoved(table, { nodeId, mode: 'stop', now });

    const stopped = await findNode(table, nodeId);
    expect(stopped).toMatchObject({ status: 'stopped', terminationConfirmedAt: now.toISOString() });
    expect(proofWithoutNode({ ...workspace, dispatchedAt: now.toISOString() }, stopped)).toBe(
      'node_runtime_terminated',
    );
    const next = await pendingWorkspace(table, { userId: workspace.userId });
    const placed = await placeWorkspace(table, next, { now, nodeIdFor: async () => newId(), limits: one });
    expect(placed).toMatchObject({ launch: true });
    await beginRemoval(table, { nodeId, mode: 'delete', now });
    await markNodeRemoved(table, { nodeId, mode: 'delete', now });
    const listed = (await readFleet(table, workspace.userId)).nodes;
    expect(listed.map((node) => node.nodeId)).toEqual([placed.nodeId]);
  });
});
