import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
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

describe('stopping, restarting and rebuilding a workspace', () => {
  it('stops once, and returns the same status when repeated', async () => {
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

  it('restarts a stopped workspace once, as the next generation', async () => {
    const { workspace } = await routes.onNode({ status: 'stopped' });
    const { workspaceId } = workspace;
    const params = { workspaceId };

    const replies = await Promise.all([
      routes.unheld('workspaces/restart', { params }),
      routes.unheld('workspaces/restart', { params }),
    ]);

    expect(replies.map((reply) => reply.status).sort()).toEqual([202, 409]);
    const row = await findWorkspace(routes.table, workspaceId);
    expect(row).toMatchObject({
      status: 'pending',
      generation: 2,
      restartMode: 'restart',
      errorMessage: null,
    });
    expect(row?.formerNodeId).toBe(workspace.nodeId);
  });

  it.each(['restart', 'rebuild'] as const)('refuses a %s in a state that does not allow it', async (what) => {
    const status = what === 'restart' ? 'running' : 'stopped';
    const { workspace } = await routes.onNode({ status });
    const params = { workspaceId: workspace.workspaceId };

    expect(await routes.call(`workspaces/${what}`, { params })).toMatchObject({
      status: 409,
      body: { error: 'CONFLICT' },
    });
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toMatchObject({ status, generation: 1 });
  });

  it('restarts a stopped workspace whose row has a wake that the stop ended', async () => {
    const claimedAt = new Date().toISOString();
    const wake = { operationId: newId(), claimedAt, attempt: 1, phase: 'placing' } as const;
    const { workspace } = await routes.onNode({ status: 'stopped', wake });

    const reply = await routes.call('workspaces/restart', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(202);
    const row = await findWorkspace(routes.table, workspace.workspaceId);
    expect(row).toMatchObject({ status: 'pending', generation: 2 });
    expect(row?.wake).toBeUndefined();
  });

  it('refuses a rebuild while the workspace is being restored', async () => {
    const claimedAt = new Date().toISOString();
    const wake = { operationId: newId(), claimedAt, attempt: 1, phase: 'restoring' } as const;
    const { workspace } = await routes.onNode({ status: 'running', wake });

    const reply = await routes.call('workspaces/rebuild', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(409);
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toMatchObject({ status: 'running' });
  });

  it('refuses a restart once the deletion is claimed', async () => {
    const deletion = { attempt: 1, claimedAt: new Date().toISOString() };
    const { workspace } = await routes.onNode({ status: 'errored', deletion });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/restart', { params })).status).toBe(409);
    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(409);
  });

  it('rebuilds on the node and ends with the ready callback', async () => {
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

  it('leaves the workspace unchanged when its node does not answer a rebuild', async () => {
    const { workspace } = await routes.onNode({ status: 'recovering', nodeUrl: 'https://127.0.0.1:1' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(503);
    expect((await findWorkspace(routes.table, workspace.workspaceId))?.status).toBe('recovering');
  });

  it('claims a slot first when an errored workspace is rebuilt', async () => {
    const { workspace } = await routes.onNode({ status: 'errored', errorMessage: 'x' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await routes.call('workspaces/rebuild', { params })).status).toBe(202);
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toMatchObject({
      status: 'pending',
      restartMode: 'rebuild',
    });
  });
});
