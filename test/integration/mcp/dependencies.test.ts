import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newTask } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

const idea = async (title: string) => String((await tools.call('create_idea', { title })).value.ideaId);
const add = (taskId: string, dependsOnTaskId: string) =>
  tools.call('add_dependency', { taskId, dependsOnTaskId });

async function subTask(): Promise<string> {
  const { projectId, userId } = tools.agent.project;
  const parentTaskId = tools.agent.draft.taskId;
  const task = newTask({ taskId: newId(), projectId, userId, title: 'Part', parentTaskId }, new Date());
  await tools.put(task);
  return task.taskId;
}

describe('add_dependency', () => {
  it('makes an idea depend on another task in four table calls, and a repeat changes nothing', async () => {
    const [paint, buy] = [await idea('Paint it'), await idea('Buy paint')];
    tools.calls.reset();

    expect((await add(paint, buy)).value).toEqual({ taskId: paint, dependsOnTaskId: buy, added: true });
    expect(tools.calls.names).toHaveLength(4);
    expect((await add(paint, buy)).refused).toBe(false);
    expect((await tools.call('get_task_dependencies', { taskId: paint })).value).toEqual({
      ...{ taskId: paint, blocked: true, dependents: [], hasMore: false },
      dependsOn: [{ taskId: buy, title: 'Buy paint', status: 'draft' }],
    });
    expect((await tools.call('get_task_dependencies', { taskId: buy })).value).toMatchObject({
      ...{ blocked: false, dependsOn: [] },
      dependents: [{ taskId: paint, title: 'Paint it', status: 'draft' }],
    });
  });

  it('closes no cycle, and finds only tasks of the project', async () => {
    const [one, other] = [await idea('One'), await idea('Other')];
    await add(one, other);

    expect((await add(other, one)).value).toMatchObject({ error: 'TASK_DEPENDENCY_CYCLE' });
    expect((await add(one, newId())).value).toMatchObject({ error: 'NOT_FOUND' });
    expect((await add(newId(), one)).value).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('is refused for a started task', async () => {
    const { taskId } = await tools.dispatch();

    expect((await add(String(taskId), await idea('First'))).value).toMatchObject({
      error: 'TASK_NOT_IN_STATE',
    });
  });
});

describe('get_task_dependencies', () => {
  it('defaults to the task of the caller, and needs a taskId in a conversation', async () => {
    expect((await tools.call('get_task_dependencies')).value).toMatchObject({
      ...{ taskId: tools.agent.draft.taskId, blocked: false, dependsOn: [], dependents: [] },
    });
    expect(tools.calls.names).toHaveLength(4);
    expect((await tools.call('get_task_dependencies', { taskId: newId() })).value).toMatchObject({
      error: 'NOT_FOUND',
    });
    await tools.as({});
    expect((await tools.call('get_task_dependencies')).value).toMatchObject({ error: 'TASK_REQUIRED' });
  });
});

describe('remove_pending_subtask', () => {
  const remove = (taskId: unknown) => tools.call('remove_pending_subtask', { taskId });

  it('deletes a subtask that was not run, with the dependencies on it', async () => {
    const [part, next] = [await subTask(), await subTask()];
    await add(next, part);
    tools.calls.reset();

    expect((await remove(part)).value).toEqual({ taskId: part, removed: true, status: 'deleted' });
    expect(tools.calls.names).toHaveLength(4);
    expect((await tools.call('get_task_dependencies', { taskId: next })).value).toMatchObject({
      dependsOn: [],
    });
  });

  it('cancels a queued subtask, and a repeat returns the same status', async () => {
    const { taskId } = await tools.dispatch();

    expect((await remove(taskId)).value).toMatchObject({ removed: true, status: 'cancelled' });
    expect((await remove(taskId)).value).toMatchObject({ removed: false, status: 'cancelled' });
  });

  it('cancels a ready subtask that ran before, whose changes stay readable', async () => {
    const { taskId } = await tools.dispatch();
    const ended = { status: 'ready', finalizedAt: new Date().toISOString() } as const;
    await tools.put(await tools.read(taskId), ended);

    expect((await remove(taskId)).value).toMatchObject({ removed: true, status: 'cancelled' });
    expect((await tools.read(taskId)).run).toBe(1);
  });

  it('is refused for a running subtask, and for a task of another parent', async () => {
    const { taskId } = await tools.dispatch();
    await tools.put(await tools.read(taskId), { status: 'in_progress' });

    expect((await remove(taskId)).value).toMatchObject({ error: 'TASK_NOT_IN_STATE' });
    for (const other of [await idea('Mine to keep'), tools.agent.draft.taskId, newId()])
      expect((await remove(other)).value).toMatchObject({ error: 'NOT_FOUND' });
  });
});
