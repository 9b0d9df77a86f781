import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

const own = () => tools.agent.draft.chatSessionId;

describe('search_tasks', () => {
  it('finds tasks with all words in title and description, newest first, in three table calls', async () => {
    await tools.dispatch({ description: 'Paint the gate\n\nThree coats' });
    const { taskId } = await tools.dispatch({ description: 'Mend the roof\n\nand its paint' });
    tools.calls.reset();

    const found = await tools.call('search_tasks', { query: 'PAINT  the', limit: 1 });
    expect(tools.calls.names).toHaveLength(3);
    expect(found.value).toMatchObject({ tasks: [{ id: taskId }], hasMore: true });
    expect((await tools.call('search_tasks', { query: 'three paint' })).value).toMatchObject({
      tasks: [{ title: 'Paint the gate' }],
      hasMore: false,
    });
    expect((await tools.call('search_tasks', { query: 'paint', status: 'failed' })).value).toEqual({
      tasks: [],
      hasMore: false,
    });
  });
});

describe('chat sessions of the project', () => {
  it('are listed newest first, with the activity of their agents', async () => {
    const { taskId } = await tools.dispatch();
    tools.calls.reset();

    const { value } = await tools.call('list_sessions', { limit: 1 });
    expect(tools.calls.names).toHaveLength(3);
    expect(value).toMatchObject({
      sessions: [{ id: taskId, taskId, topic: 'Paint the gate', status: 'active', activity: null }],
      hasMore: true,
    });
    expect((await tools.call('list_sessions', { status: 'stopped' })).value).toMatchObject({ sessions: [] });
  });

  it('return their last messages in sequence, and only within the project', async () => {
    const { taskId } = await tools.dispatch();
    await tools.call('send_message_to_subtask', { taskId, message: 'Use green' });
    tools.calls.reset();

    const { value } = await tools.call('get_session_messages', { sessionId: taskId });
    expect(tools.calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      topic: 'Paint the gate',
      messages: [
        { sequence: 1, content: 'Paint the gate' },
        { sequence: 2, content: expect.stringContaining('Use green') },
      ],
      hasMore: false,
    });
    const last = await tools.call('get_session_messages', { sessionId: taskId, limit: 1, roles: ['user'] });
    expect(last.value).toMatchObject({ messages: [{ sequence: 2 }], hasMore: true });

    await tools.as();
    expect((await tools.call('get_session_messages', { sessionId: taskId })).value).toMatchObject({
      error: 'NOT_FOUND',
    });
  });

  it('get a topic from their own agents', async () => {
    const { value } = await tools.call('update_session_topic', { topic: ' The gate ' });

    expect(value).toEqual({ sessionId: own(), topic: 'The gate' });
    expect(tools.calls.names).toHaveLength(3);
    expect((await tools.call('list_sessions')).value).toMatchObject({
      sessions: [{ id: own(), topic: 'The gate' }],
    });
  });
});

describe('expose_port', () => {
  it('returns the addresses of a port for the person, without a token', async () => {
    const { workspaceId } = tools.agent.draft;
    if (!workspaceId) throw new Error('The agent has no workspace');
    await changeWorkspace(tools.table, {
      ...{ workspaceId, now: new Date() },
      set: { nodeId: workspaceId, nodeUrl: 'https://192.0.2.7:8443' },
    });

    const { value, refused } = await tools.call('expose_port', { port: 5173 });

    expect(refused).toBe(false);
    const host = `ws-${workspaceId.toLowerCase()}--5173.localhost:8787`;
    expect(value).toEqual({
      port: 5173,
      consoleUrl: `${process.env.PUBLIC_URL}/workspaces/${workspaceId}/ports/5173`,
      url: `http://${host}/`,
    });
  });

  it.each([0, 65_536, '5173'])('refuses port %s', async (port) => {
    const { body } = await tools.send('tools/call', { name: 'expose_port', arguments: { port } });
    expect(body).toMatchObject({ error: { code: -32_602 } });
  });
});

describe('get_workspace_info', () => {
  it('returns the workspace of the caller without another table call', async () => {
    const { value } = await tools.call('get_workspace_info');

    expect(tools.calls.names).toHaveLength(2);
    expect(value).toMatchObject({
      ...{ workspaceId: tools.agent.draft.workspaceId, status: 'running', workspaceProfile: 'full' },
      ...{ repository: 'octo/hello', branch: 'main' },
    });
  });
});
