import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load([
    'nodes/delete',
    'nodes/get',
    'nodes/list',
    'nodes/stop',
    'workspaces/delete',
  ]);
});

afterAll(() => routes[Symbol.asyncDispose]());

describe('a node of the caller', () => {
  it('is returned with its health and its workspaces', async () => {
    const { workspace, node } = await routes.onNode({ status: 'running' });

    const reply = await routes.call('nodes/get', { params: { nodeId: node.nodeId } });
    const list = await routes.call('nodes/list');

    expect(reply.body).toMatchObject({
      healthStatus: 'healthy',
      workspaces: [{ id: workspace.workspaceId }],
    });
    expect((list.body as { nodes: { id: string }[] }).nodes.map(({ id }) => id)).toContain(node.nodeId);
  });

  it('is neither stopped nor deleted while a workspace holds a slot', async () => {
    const { workspace, node } = await routes.onNode({ status: 'running' });
    const params = { nodeId: node.nodeId };

    expect(await routes.call('nodes/stop', { params })).toMatchObject({
      status: 409,
      body: { error: 'CONFLICT' },
    });
    expect(await routes.call('nodes/delete', { params })).toMatchObject({
      status: 409,
      body: { details: [{ message: workspace.workspaceId }] },
    });
  });

  it('is not reported deleted before EC2 reports its instance terminated', async () => {
    const { workspace, node } = await routes.onNode({ status: 'running' });
    await routes.call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });
    const params = { nodeId: node.nodeId };

    const first = await routes.call('nodes/delete', { params });
    const second = await routes.call('nodes/delete', { params });

    expect(first).toMatchObject({ status: 202, body: { deletionStatus: 'pending', nodeStatus: 'deleting' } });
    expect(second.status).toBe(202);
    expect((await findNode(routes.table, node.nodeId))?.terminationConfirmedAt).toBeUndefined();
  });
});
