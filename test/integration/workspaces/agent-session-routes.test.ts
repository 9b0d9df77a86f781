import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { newId } from '../../../lambdas/shared/ids.js';
import { McpServer } from '../../../protocol/agent-sessions.js';
import { placedWorkspace } from '../../support/records.js';
import { signIn } from '../../support/sign-in.js';
import { as, chatStage } from '../chats/chat-stage.js';

const McpServers = z.object({ mcpServers: z.tuple([McpServer]) });
const stage = await chatStage();

describe('an agent session', () => {
  it('is created on the node, has its own chat in a project, and is stopped on the node', async () => {
    const { sessionId, agentSessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const params = { workspaceId: stage.workspace.workspaceId };

    const [made] = stage.node.requests;
    expect(made).toMatchObject({
      method: 'POST',
      path: `/workspaces/${stage.workspace.workspaceId}/agent-sessions`,
      body: {
        sessionId: agentSessionId,
        chatSessionId: sessionId,
        projectId: stage.project.projectId,
        label: 'fix it',
      },
    });
    expect(await stage.call('agent-sessions/list', as(stage.me, { params }))).toMatchObject({
      body: { sessions: [{ id: agentSessionId, status: 'running', agentType: 'claude-code' }] },
    });
    expect(await stage.call('chats/get', as(stage.me, stage.here({ sessionId })))).toMatchObject({
      body: {
        session: { id: sessionId, agentSessionId, topic: 'fix it', status: 'active' },
        messages: [],
        hasMore: false,
      },
    });

    for (const _ of ['once', 'again']) {
      const stopped = await stage.call(
        'agent-sessions/stop',
        as(stage.me, { params: { ...params, sessionId: agentSessionId } }),
      );
      expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped' } });
    }
    expect(stage.node.seen.filter((request) => request.endsWith('/stop'))).toHaveLength(1);
    expect(await stage.call('agent-sessions/list', as(stage.me, { params }))).toMatchObject({
      body: { sessions: [] },
    });
    expect(await stage.call('chats/state', as(stage.me, stage.here({ sessionId })))).toMatchObject({
      body: { state: { activity: 'stopped' } },
    });
  });

  it('is listed in the state error while its node reports that its agent has failed', async () => {
    const { agentSessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const params = { workspaceId: stage.workspace.workspaceId };
    const list = () => stage.call('agent-sessions/list', as(stage.me, { params }));

    await stage.reportActivity(agentSessionId, { activity: 'error', statusError: 'No credential is stored' });
    expect(await list()).toMatchObject({ body: { sessions: [{ id: agentSessionId, status: 'error' }] } });

    await stage.reportActivity(agentSessionId, { activity: 'idle' });
    expect(await list()).toMatchObject({ body: { sessions: [{ id: agentSessionId, status: 'running' }] } });
  });

  it('gets the address of its tools, with a token that ends with the session', async () => {
    const { agentSessionId } = await stage.agentSession({ agentType: 'claude-code' });
    const params = { workspaceId: stage.workspace.workspaceId };
    const [server] = McpServers.parse(stage.node.requests[0]?.body).mcpServers;
    const ping = () =>
      stage.invokes.get('mcp/call')?.({
        headers: { authorization: `Bearer ${server?.token}` },
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });

    expect(server?.url).toBe(`${process.env.PUBLIC_URL}/mcp`);
    expect(await ping()).toMatchObject({ status: 200, body: { result: {} } });
    await stage.call(
      'agent-sessions/stop',
      as(stage.me, { params: { ...params, sessionId: agentSessionId } }),
    );
    expect(await ping()).toMatchObject({ status: 401 });
  });

  it('gets no tools when its kind of agent cannot use them', async () => {
    await stage.agentSession({ agentType: 'amp' });

    expect(stage.node.requests[0]?.body).not.toHaveProperty('mcpServers');
  });

  it('is not stored when the node does not create it', async () => {
    stage.node.onRequest = async () => ({ status: 503, body: { error: 'unavailable' } });
    const params = { workspaceId: stage.workspace.workspaceId };

    expect(await stage.call('agent-sessions/create', as(stage.me, { params, body: {} }))).toMatchObject({
      status: 503,
    });

    expect(await stage.call('agent-sessions/list', as(stage.me, { params }))).toMatchObject({
      body: { sessions: [] },
    });
    expect(await stage.call('chats/list', as(stage.me, stage.here()))).toMatchObject({
      body: { sessions: [] },
    });
  });

  it('is limited to ten per workspace, also for parallel requests', async () => {
    const params = { workspaceId: stage.workspace.workspaceId };
    const ask = stage.invokes.get('agent-sessions/create');
    // Four at a time, the limit of a person.
    const replies = [];
    for (const atOnce of [4, 4, 4, 4]) {
      const asked = Array.from({ length: atOnce }, () => ask?.(as(stage.me, { params, body: {} })));
      replies.push(...(await Promise.all(asked)));
    }

    const statuses = replies.map((reply) => reply?.status).sort();
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(replies.find((reply) => reply?.status === 409)).toMatchObject({
      body: { error: 'AGENT_SESSION_LIMIT_REACHED' },
    });
  });

  it('is refused while the workspace is being restored', async () => {
    const wake = { operationId: newId(), claimedAt: new Date().toISOString(), attempt: 1 };
    const { workspace } = await placedWorkspace(
      stage.table,
      { userId: stage.me.userId, status: 'running', wake: { ...wake, phase: 'restoring' } },
      stage.node.place,
    );
    const params = { workspaceId: workspace.workspaceId };

    expect(await stage.call('agent-sessions/create', as(stage.me, { params, body: {} }))).toMatchObject({
      status: 400,
      body: { error: 'WORKSPACE_NOT_RUNNING', details: [{ field: 'path.workspaceId' }] },
    });
    expect(stage.node.requests).toEqual([]);
  });

  it('needs a running workspace of the caller', async () => {
    const { workspace: stopped } = await placedWorkspace(
      stage.table,
      { userId: stage.me.userId, status: 'stopped' },
      stage.node.place,
    );
    const params = { workspaceId: stopped.workspaceId };
    const stranger = await signIn(stage.table);

    expect(await stage.call('agent-sessions/create', as(stage.me, { params, body: {} }))).toMatchObject({
      status: 409,
    });
    for (const file of ['agent-sessions/create', 'agent-sessions/list']) {
      const theirs = { workspaceId: stage.workspace.workspaceId };
      expect(
        await stage.call(
          file,
          as(stranger, { params: theirs, ...(file.endsWith('create') ? { body: {} } : {}) }),
        ),
      ).toMatchObject({
        status: 404,
      });
    }
    expect(stage.node.requests).toEqual([]);
  });
});
