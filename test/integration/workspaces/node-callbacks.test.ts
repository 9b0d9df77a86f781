import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load([
    'callbacks/boot-log',
    'callbacks/node-heartbeat',
    'callbacks/node-ready',
    'callbacks/provisioning-failed',
    'callbacks/renew-token',
    'callbacks/workspace-ready',
    'workspaces/boot-log',
    'workspaces/stop',
  ]);
});

afterAll(() => routes[Symbol.asyncDispose]());

describe('callbacks of a node', () => {
  const heartbeat = { agentVersion: '1', activeWorkspaces: 1 };

  it('costs one write for a heartbeat, and gets a new token after half of its lifetime', async () => {
    const { node } = await routes.onNode();
    const params = { nodeId: node.nodeId };
    const halfADayAgo = new Date(Date.now() - 12.5 * 3_600_000);

    const young = await routes.call('callbacks/node-heartbeat', {
      ...(await routes.ofNode(node.nodeId)),
      params,
      body: heartbeat,
    });
    expect(routes.made).toEqual(['UpdateItemCommand']);
    const old = await routes.call('callbacks/node-heartbeat', {
      ...(await routes.ofNode(node.nodeId, halfADayAgo)),
      params,
      body: heartbeat,
    });

    expect(young.body).toEqual({
      status: 'running',
      lastHeartbeatAt: expect.any(String),
      healthStatus: 'healthy',
      consoleUrl: process.env.PUBLIC_URL,
    });
    expect(old.body).toMatchObject({ refreshedToken: expect.stringMatching(/^eyJ/) });
  });

  it('stores with a heartbeat which of its workspaces are used, by one write for each', async () => {
    const { node, workspace } = await routes.onNode();
    const used = { ...heartbeat, usedWorkspaces: [workspace.workspaceId] };

    const { status } = await routes.call('callbacks/node-heartbeat', {
      ...(await routes.ofNode(node.nodeId)),
      params: { nodeId: node.nodeId },
      body: used,
    });

    expect([status, routes.made]).toEqual([200, ['UpdateItemCommand', 'UpdateItemCommand']]);
    const after = await findWorkspace(routes.table, workspace.workspaceId);
    expect(after).toMatchObject({ lastUsedAt: expect.any(String), version: workspace.version });
  });

  it('accepts ready, a repeated ready and a late one', async () => {
    const { workspace } = await routes.onNode();
    const { workspaceId } = workspace;
    const request = {
      ...(await routes.ofWorkspace(workspace)),
      params: { workspaceId },
      body: { generation: 1, status: 'running' },
    };

    const first = await routes.call('callbacks/workspace-ready', request);
    const again = await routes.call('callbacks/workspace-ready', request);
    await routes.call('workspaces/stop', { params: { workspaceId } });
    const late = await routes.call('callbacks/workspace-ready', request);

    expect([first.body, again.body]).toEqual([{ success: true }, { success: true }]);
    expect(late.body).toEqual({ success: false, reason: 'workspace_not_provisioning' });
    expect((await findWorkspace(routes.table, workspaceId))?.status).toBe('stopping');
  });

  it('accepts a node that restarted a workspace, and one that could not', async () => {
    const { workspace, node } = await routes.onNode();
    const { workspaceId } = workspace;
    const token = await routes.ofWorkspace(workspace);
    const params = { workspaceId };
    const ready = (status: string) =>
      routes.call('callbacks/workspace-ready', { ...token, params, body: { generation: 1, status } });
    const fail = () => {
      const body = { generation: 1, errorMessage: 'The files of the workspace are gone' };
      return routes.call('callbacks/provisioning-failed', { ...token, params, body });
    };
    const now = async () => (await findWorkspace(routes.table, workspaceId))?.status;
    await ready('running');

    expect((await ready('running')).body).toEqual({ success: true });
    expect((await ready('recovering')).body).toEqual({ success: true });
    expect(await now()).toBe('recovering');
    expect((await ready('running')).body).toEqual({ success: true });
    expect(await now()).toBe('running');

    expect((await fail()).body).toEqual({ success: true });
    expect(await findWorkspace(routes.table, workspaceId)).toMatchObject({
      status: 'errored',
      errorMessage: 'The workspace ended on its node: The files of the workspace are gone',
    });
    expect((await findNode(routes.table, node.nodeId))?.slots).toBeUndefined();
    expect((await fail()).body).toMatchObject({ success: false });
    expect((await ready('running')).body).toMatchObject({ success: false });
    expect(await now()).toBe('errored');
  });

  it('of an earlier generation have no effect', async () => {
    const { workspace } = await routes.onNode();
    const { workspaceId } = workspace;
    const token = await routes.ofWorkspace(workspace);
    await changeWorkspace(routes.table, { workspaceId, set: { generation: 2 }, now: new Date() });
    const params = { workspaceId };
    const entry = { step: 'git_clone', status: 'started', message: '', timestamp: new Date().toISOString() };

    const replies = [
      await routes.call('callbacks/workspace-ready', {
        ...token,
        params,
        body: { generation: 1, status: 'running' },
      }),
      await routes.call('callbacks/provisioning-failed', {
        ...token,
        params,
        body: { generation: 1, errorMessage: 'x' },
      }),
      await routes.call('callbacks/boot-log', {
        ...token,
        params,
        body: { generation: 1, entryId: newId(), entry },
      }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([410, 410, 410]);
    expect((await findWorkspace(routes.table, workspaceId))?.status).toBe('provisioning');
  });

  it('write each boot log entry once, in order', async () => {
    const { workspace } = await routes.onNode();
    const params = { workspaceId: workspace.workspaceId };
    const token = await routes.ofWorkspace(workspace);
    const write = (entryId: string, step: string) => {
      const entry = { step, status: 'started', message: 'm', timestamp: new Date().toISOString() };
      return routes.call('callbacks/boot-log', { ...token, params, body: { generation: 1, entryId, entry } });
    };
    const [one, two] = [newId(), newId()];
    await write(one, 'git_clone');
    await write(one, 'git_clone');
    await write(two, 'container_up');
    // Agent sessions lie between the entries and the row.
    const Item = { ...agentSessionKey(workspace.workspaceId, newId()), entity: 'agent-session' };
    await routes.table.client.send(new PutCommand({ TableName: routes.table.name, Item }));

    const reply = await routes.call('workspaces/boot-log', { params });

    expect((reply.body as { logs: { entryId: string }[] }).logs.map(({ entryId }) => entryId)).toEqual([
      one,
      two,
    ]);
  });

  it('renew a callback token only with the token of its node, and when due', async () => {
    const { workspace, node } = await routes.onNode();
    const other = newId();
    const tokenOf = async (nodeId: string) =>
      (await routes.ofNode(nodeId)).headers.authorization.replace('Bearer ', '');
    const renew = async (nodeToken: string, issuedAt: Date) =>
      routes.call('callbacks/renew-token', {
        ...(await routes.ofWorkspace(workspace, issuedAt)),
        params: { workspaceId: workspace.workspaceId },
        body: { nodeId: node.nodeId, nodeToken },
      });
    const halfADayAgo = new Date(Date.now() - 12.5 * 3_600_000);

    expect((await renew(await tokenOf(node.nodeId), new Date())).body).toEqual({ renewed: false });
    expect((await renew(await tokenOf(node.nodeId), halfADayAgo)).body).toMatchObject({ renewed: true });
    expect((await renew(await tokenOf(other), halfADayAgo)).status).toBe(403);
    expect((await renew('not.a.token', halfADayAgo)).status).toBe(401);
  });

  it('mark a node ready', async () => {
    const { node } = await routes.onNode();
    const body = { agentVersion: '2', role: 'standalone', port: 4443 };

    const reply = await routes.call('callbacks/node-ready', {
      ...(await routes.ofNode(node.nodeId)),
      params: { nodeId: node.nodeId },
      body,
    });

    expect(reply).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(await findNode(routes.table, node.nodeId)).toMatchObject({ port: 4443, agentVersion: '2' });
  });

  it('refuse a node whose agent has another protocol version', async () => {
    const { node } = await routes.onNode();

    const reply = await routes.call('callbacks/node-ready', {
      ...(await routes.ofNode(node.nodeId)),
      params: { nodeId: node.nodeId },
      body: { agentVersion: '9', role: 'workspace', port: 4443, protocolVersion: 99 },
    });

    expect(reply).toMatchObject({ status: 400, body: { details: [{ field: 'body.protocolVersion' }] } });
    expect(await findNode(routes.table, node.nodeId)).toMatchObject({ agentVersion: node.agentVersion });
  });
});
