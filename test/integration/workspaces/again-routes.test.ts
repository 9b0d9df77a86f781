import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load([
    'callbacks/workspace-ready',
    'workspaces/rebuild',
    'workspaces/restart',
    'workspaces/stop',
  ]);
});

afterAll(() => routes[Symbol.asyncDispose]());

describe('a workspace that is stopped and begun again', () => {
  it('stops a workspace once, and says so when repeated', async () => {
    const { workspace } = await routes.onNode({ status: 'running' });
    const params = { workspaceId: workspace.workspaceId };

    expect(await routes.call('workspaces/stop', { params })).toMatchObject({
      status: 200,
      body: { status: 'stopping' },
    });
    expect(await routes.call('workspaces/stop', { params })).toMatchObject({
      status: 200,
      body: { status: 'stopping' },
    });
  });

  it('is started again as another life, once, when it is at rest', async () => {
    const { workspace } = await routes.onNode({ status: 'stopped' });
    const { workspaceId } = workspace;
    const params = { workspaceId };

    const replies = await Promise.all([
      routes.unheld('workspaces/restart', { params }),
      routes.unheld('workspaces/restart', { params }),
    ]);

    expect(replies.map((reply) => reply.status).sort()).toEqual([202, 409]);
    const row = await findWorkspace(routes.table, workspaceId);
    expect(row).toMatchObject({ status: 'pending', generation: 2, remake: 'restart', errorMessage: null });
    expect(row?.formerNodeId).toBe(workspace.nodeId);
  });

  it.each(['restart', 'rebuild'] as const)('refuses a %s that its state does not allow', async (what) => {
    const status = what === 'restart' ? 'running' : 'stopped';
    const { workspace } = await routes.onNode({ status });
    const params = { workspaceId: workspace.workspaceId };

    expect(await routes.call(`workspaces/${what}`, { params })).toMatchObject({
      status: 409,
      body: { error: 'CONFLICT' },
    });
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toMatchObject({ status, generation: 1 });
  });

  it('is not started again once its deletion has begun', async () => {
    const deletion = { attempt: 1, claimedAt: new Date().toISOString() };
    const { workspace } = await routes.onNode({ status: 'errored', deletion });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/restart', { params })).status).toBe(409);
    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(409);
  });

  it('is rebuilt by its node, whose word ends it', async () => {
    const { workspace } = await routes.onNode({ status: 'running' });
    const { workspaceId } = workspace;
    routes.node.requests = [];

    const reply = await routes.call('workspaces/rebuild', { params: { workspaceId } });

    expect(reply).toMatchObject({ status: 202, body: { status: 'rebuilding' } });
    expect(routes.node.seen).toEqual([`POST /workspaces/${workspaceId}/rebuild`]);
    expect((await findWorkspace(routes.table, workspaceId))?.status).toBe('rebuilding');
    expect((await routes.call('workspaces/rebuild', { params: { workspaceId } })).status).toBe(409);
    await routes.call('callbacks/workspace-ready', {
      ...(await routes.ofWorkspace(workspace)),
      params: { workspaceId },
      body: { generation: 1, status: 'recovering' },
    });
    expect((await findWorkspace(routes.table, workspaceId))?.status).toBe('recovering');
  });

  it('is as it was when its node does not answer a rebuild', async () => {
    const { workspace } = await routes.onNode({ status: 'recovering', nodeUrl: 'https://127.0.0.1:1' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(503);
    expect((await findWorkspace(routes.table, workspace.workspaceId))?.status).toBe('recovering');
  });

  it('gets a place first when it is rebuilt after a failure', async () => {
    const { workspace } = await routes.onNode({ status: 'errored', errorMessage: 'x' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(202);
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toMatchObject({
      status: 'pending',
      remake: 'rebuild',
    });
  });
});
