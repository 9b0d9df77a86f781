import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

const idea = async (more: object = {}) =>
  (await tools.call('create_idea', { title: 'Paint it', content: 'Green?', ...more })).value;

describe('an idea of an agent', () => {
  it('is a top-level draft task, created in three table calls', async () => {
    const { ideaId } = await idea({ priority: 7 });

    expect(tools.calls.names).toHaveLength(3);
    expect(await tools.read(ideaId)).toMatchObject({
      ...{ status: 'draft', title: 'Paint it', description: 'Green?', priority: 7, run: 0 },
      ...{ triggeredBy: 'agent', parentTaskId: null, userId: tools.agent.project.userId },
    });
    expect((await tools.call('get_idea', { ideaId })).value).toMatchObject({
      ...{ id: ideaId, title: 'Paint it', content: 'Green?', status: 'draft' },
    });
  });

  it('is created once when the call is repeated', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => idea()));
    const again = await idea();

    expect(new Set([...replies, again].map(({ ideaId }) => ideaId)).size).toBe(1);
    expect(again.repeated).toBe(true);
    expect((await idea({ idempotencyKey: 'other' })).ideaId).not.toBe(again.ideaId);
    expect(await idea({ idempotencyKey: 'other', content: 'Red?' })).toMatchObject({
      error: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('is listed by status, without its content', async () => {
    const { ideaId } = await idea();
    const { ideaId: laidAside } = await idea({ title: 'Sell it' });
    await tools.call('update_idea', { ideaId: laidAside, status: 'cancelled' });
    await tools.dispatch();
    tools.calls.reset();

    const { value } = await tools.call('list_ideas');
    expect(tools.calls.names).toHaveLength(3);
    expect(value).toMatchObject({ ideas: [{ id: ideaId, title: 'Paint it' }], hasMore: false });
    expect(JSON.stringify(value)).not.toContain('Green');
    expect((await tools.call('list_ideas', { status: 'cancelled' })).value).toMatchObject({
      ideas: [{ id: laidAside }],
    });
  });
});

describe('update_idea', () => {
  it('changes the given fields, and records an event for a new status', async () => {
    const { ideaId } = await idea();
    const { value } = await tools.call('update_idea', { ideaId, title: 'Paint it green', status: 'ready' });

    expect(value).toMatchObject({ title: 'Paint it green', content: 'Green?', status: 'ready' });
    expect(await tools.call('update_idea', { ideaId, status: 'ready', priority: 3 })).toMatchObject({
      refused: false,
      value: { priority: 3, status: 'ready' },
    });
  });

  it('appends text once', async () => {
    const { ideaId } = await idea();
    const more = { ideaId, content: 'Two coats.', append: true };
    await tools.call('update_idea', more);

    expect((await tools.call('update_idea', more)).value).toMatchObject({ content: 'Green?\n\nTwo coats.' });
    expect(await tools.call('update_idea', { ...more, content: 'x'.repeat(15_990) })).toMatchObject({
      refused: true,
      value: { error: 'BAD_REQUEST', details: [{ field: 'arguments.content' }] },
    });
  });

  it('is refused for a task that was run, and finds only ideas of the project', async () => {
    const { taskId } = await tools.dispatch();

    expect(await tools.call('update_idea', { ideaId: taskId, title: 'x' })).toMatchObject({
      value: { error: 'TASK_NOT_IN_STATE' },
    });
    for (const name of ['get_idea', 'update_idea'])
      expect(await tools.call(name, { ideaId: newId() })).toMatchObject({ value: { error: 'NOT_FOUND' } });
  });

  it('is refused when the member has lost the right to change tasks', async () => {
    const { ideaId } = await idea();
    await tools.agent.put.member({ role: 'viewer' });

    expect((await tools.call('update_idea', { ideaId, title: 'x' })).value).toMatchObject({
      error: 'FORBIDDEN',
    });
    expect(await idea()).toMatchObject({ error: 'FORBIDDEN' });
  });
});
