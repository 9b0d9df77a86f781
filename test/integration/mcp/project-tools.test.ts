import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
