import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { type Message, messageItem } from '../../../lambdas/domain/chats/message.js';
import { changeTask, moveTask } from '../../../lambdas/domain/tasks/change-task.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { addDependency, readGraph } from '../../../lambdas/domain/tasks/task-dependencies.js';
import { maxTasksPerProject, taskCountsKey } from '../../../lambdas/domain/tasks/task-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../../support/project.js';
import { signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

const files = [
  ...['create', 'list', 'get', 'patch', 'delete', 'status', 'events', 'sessions'],
  ...['add-dependency', 'remove-dependency'],
].map((name) => `tasks/${name}`);

let table: Table;
let routes: TaskRoutes;
let mine: TaskProject;

beforeAll(async () => {
  routes = await TaskRoutes.load(await emptyTable(), files);
  ({ table } = routes);
});

beforeEach(async () => {
  mine = await routes.newProject();
});

const at = (taskId: string, more: object = {}) => ({ params: { taskId, ...more } });
const idsOf = ({ body }: Awaited<ReturnType<TaskProject['call']>>) => body.tasks.map(({ id }) => id);

/** A task whose execution has started. */
async function working(project: TaskProject): Promise<string> {
  const taskId = await project.newTask();
  const actor = { actorType: 'system', actorId: null } as const;
  for (const to of ['ready', 'queued', 'delegated', 'in_progress'] as const) {
    const task = await findTask(table, project.projectId, taskId);
    if (!task) throw new Error('It is gone');
    await moveTask(table, { task, to, actor, maxActive: 10, now: new Date() });
  }
  return taskId;
}

describe('a task', () => {
  it('is created as a draft, read, changed and deleted', async () => {
    const made = await mine.call('create', {
      body: { title: '  Fix the door ', description: 'It\u0000 squeaks \u{1F6AA}\n', priority: 7 },
    });
    const taskId = made.body.id;
    const patched = await mine.call('patch', { ...at(taskId), body: { title: 'Oil the door' } });
    const read = await mine.call('get', at(taskId));
    const deleted = await mine.call('delete', at(taskId));

    expect(made).toMatchObject({
      status: 201,
      headers: { location: `/api/projects/${mine.projectId}/tasks/${taskId}` },
      body: { status: 'draft', title: 'Fix the door', priority: 7, version: 1, triggeredBy: 'user' },
    });
    expect(patched.body).toMatchObject({ title: 'Oil the door', version: 2 });
    expect(read.body).toMatchObject({
      title: 'Oil the door',
      description: 'It\u0000 squeaks \u{1F6AA}\n',
      dependencies: [],
      blocked: false,
      finalAssistantMessage: null,
    });
    expect(deleted.status).toBe(204);
    expect(await mine.call('get', at(taskId))).toMatchObject({
      status: 404,
      body: { message: 'Task not found' },
    });
  });

  it('is not found by members of other projects, and read-only for viewers', async () => {
    const taskId = await mine.newTask();
    const theirs = await routes.newProject();
    const viewer = await signIn(table);
    await mine.join(viewer, 'viewer');
    const asViewer = { cookies: [viewer.cookie], ...at(taskId) };

    expect((await theirs.call('get', at(taskId))).status).toBe(404);
    expect((await mine.call('get', { ...at(taskId), cookies: [theirs.owner.cookie] })).status).toBe(404);
    expect((await mine.call('get', asViewer)).status).toBe(200);
    expect((await mine.call('patch', { ...asViewer, body: { title: 'No' } })).status).toBe(403);
    expect((await mine.call('delete', asViewer)).status).toBe(403);
  });

  it.each([
    ['title', 'body.title', { title: 'x'.repeat(101) }],
    ['title with a control character', 'body.title', { title: 'a\u0007b' }],
    ['description', 'body.description', { title: 'a', description: 'x'.repeat(16_001) }],
    ['priority', 'body.priority', { title: 'a', priority: 101 }],
  ])('is refused with the field when its %s is too much', async (_what, field, body) => {
    expect(await mine.call('create', { body })).toMatchObject({
      status: 400,
      body: { error: 'BAD_REQUEST', details: [{ field }] },
    });
  });

  it('is refused with a parent task of another project', async () => {
    const theirs = await routes.newProject();
    const parentTaskId = await theirs.newTask();

    expect(await mine.call('create', { body: { title: 'a', parentTaskId } })).toMatchObject({
      status: 404,
      body: { details: [{ field: 'body.parentTaskId' }] },
    });
    expect(
      (await mine.call('create', { body: { title: 'a', parentTaskId: await mine.newTask() } })).body,
    ).toMatchObject({ dispatchDepth: 1 });
  });

  it('is refused in a project at its task limit', async () => {
    const counts = { ...taskCountsKey(mine.projectId), taskCount: maxTasksPerProject - 1 };
    await putItem(table, counts);
    const last = await mine.newTask();

    expect(await mine.call('create', { body: { title: 'one more' } })).toMatchObject({
      status: 409,
      body: { error: 'TASK_LIMIT_REACHED' },
    });
    await mine.call('delete', at(last));
    expect((await mine.call('create', { body: { title: 'one more' } })).status).toBe(201);
  });

  it('cannot be deleted while it is active or being cleaned up', async () => {
    const taskId = await working(mine);

    expect(await mine.call('delete', at(taskId))).toMatchObject({
      status: 409,
      body: { error: 'TASK_NOT_IN_STATE' },
    });
  });

  it('keeps both of two concurrent changes', async () => {
    const taskId = await mine.newTask();
    const task = await findTask(table, mine.projectId, taskId);
    if (!task) throw new Error('It is gone');

    await Promise.all([
      changeTask(table, { task, set: { title: 'Another' }, now: new Date() }),
      changeTask(table, { task, set: { priority: 9 }, now: new Date() }),
    ]);

    expect(await findTask(table, mine.projectId, taskId)).toMatchObject({
      title: 'Another',
      priority: 9,
      version: 3,
    });
  });
});

describe('the list', () => {
  it('is sorted by creation, last change and priority, page by page', async () => {
    const [a, b, c] = [
      await mine.newTask({ priority: 5 }),
      await mine.newTask({ priority: 50 }),
      await mine.newTask(),
    ];
    await mine.call('patch', { ...at(a), body: { title: 'Changed' } });
    await (await routes.newProject()).newTask();

    const sorted = async (sort: string) => idsOf(await mine.call('list', { query: { sort } }));
    expect(idsOf(await mine.call('list'))).toEqual([c, b, a]);
    expect(await sorted('updatedAtDesc')).toEqual([a, c, b]);
    expect(await sorted('priorityDesc')).toEqual([b, a, c]);

    for (const sort of ['createdAtDesc', 'updatedAtDesc', 'priorityDesc']) {
      const paged: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: Record<string, string> = { sort, limit: '1', ...(cursor ? { cursor } : {}) };
        const page = await mine.call('list', { query });
        paged.push(...idsOf(page));
        cursor = page.body.nextCursor;
      }
      expect(paged).toEqual(await sorted(sort));
    }
  });

  it('moves a task whose priority was changed', async () => {
    const [a, b] = [await mine.newTask({ priority: 1 }), await mine.newTask({ priority: 2 })];
    await mine.call('patch', { ...at(a), body: { priority: 100 } });

    expect(idsOf(await mine.call('list', { query: { sort: 'priorityDesc' } }))).toEqual([a, b]);
  });

  it.each(['createdAtDesc', 'updatedAtDesc', 'priorityDesc'])(
    'is filtered by status and priority, sorted by %s',
    async (sort) => {
      const ready = await mine.newTask({ priority: 10 });
      await mine.newTask({ priority: 9 });
      await mine.newTask({ priority: 10 });
      await mine.call('status', { ...at(ready), body: { toStatus: 'ready' } });

      const listed = await mine.call('list', { query: { sort, status: 'ready', minPriority: '10' } });
      expect(idsOf(listed)).toEqual([ready]);
    },
  );

  it('has up to 200 tasks on a page', async () => {
    expect((await mine.call('list', { query: { limit: '200' } })).status).toBe(200);
    expect((await mine.call('list', { query: { limit: '201' } })).status).toBe(400);
  });

  it('shows no descriptions', async () => {
    await mine.newTask({ description: 'long' });

    expect((await mine.call('list')).body.tasks[0]).not.toHaveProperty('description');
  });
});

describe('a status', () => {
  it('records an event when it changes, and none when it stays', async () => {
    const taskId = await mine.newTask();
    const move = (toStatus: string) =>
      mine.call('status', { ...at(taskId), body: { toStatus, reason: 'because' } });
    await move('ready');
    await move('ready');
    await move('cancelled');
    const events = await mine.call('events', at(taskId));

    const byMe = { actorType: 'user', actorId: mine.owner.userId, taskId };
    expect(events.body).toMatchObject({
      events: [
        { ...byMe, fromStatus: 'ready', toStatus: 'cancelled', reason: 'because' },
        { ...byMe, fromStatus: 'draft', toStatus: 'ready' },
        { ...byMe, fromStatus: null, toStatus: 'draft', reason: null },
      ],
      nextCursor: null,
    });
  });

  it('refuses a transition that the status table does not allow', async () => {
    const taskId = await mine.newTask();

    expect(await mine.call('status', { ...at(taskId), body: { toStatus: 'completed' } })).toMatchObject({
      status: 409,
      body: { error: 'TASK_NOT_IN_STATE', message: expect.stringContaining('Task is draft') },
    });
    expect((await mine.call('status', { ...at(taskId), body: { toStatus: 'queued' } })).status).toBe(400);
    expect((await mine.call('events', at(taskId))).body).toMatchObject({ events: [{ toStatus: 'draft' }] });
  });

  it('changes once when two requests change it at the same time', async () => {
    const taskId = await mine.newTask();
    const task = await findTask(table, mine.projectId, taskId);
    if (!task) throw new Error('It is gone');
    const actor = { actorType: 'system', actorId: null } as const;
    const move = () => moveTask(table, { task, to: 'ready', actor, now: new Date() });

    const outcomes = await Promise.all([move(), move(), move()]);

    expect(outcomes.filter(({ changed }) => changed)).toHaveLength(1);
    expect((await mine.call('events', at(taskId))).body).toMatchObject({ events: { length: 2 } });
  });
});

describe('a dependency', () => {
  const add = (taskId: string, dependsOnTaskId: string) =>
    mine.call('add-dependency', { ...at(taskId), body: { dependsOnTaskId } });

  it('blocks until the other task is completed, and can be removed', async () => {
    const [a, b] = [await mine.newTask(), await working(mine)];
    expect((await add(a, b)).status).toBe(200);
    expect((await add(a, b)).status).toBe(200);

    expect((await mine.call('get', at(a))).body).toMatchObject({
      dependencies: [{ taskId: b, title: 'Fix the door', status: 'in_progress' }],
      blocked: true,
    });
    await mine.call('status', { ...at(b), body: { toStatus: 'completed' } });
    expect((await mine.call('get', at(a))).body).toMatchObject({ blocked: false });

    const removed = await mine.call('remove-dependency', at(a, { dependsOnTaskId: b }));
    expect(removed.status).toBe(204);
    expect((await mine.call('get', at(a))).body).toMatchObject({ dependencies: [] });
  });

  it('never closes a cycle', async () => {
    const [a, b, c] = [await mine.newTask(), await mine.newTask(), await mine.newTask()];
    await add(a, b);
    await add(b, c);

    const circle = { status: 409, body: { error: 'TASK_DEPENDENCY_CYCLE' } };
    expect(await add(c, a)).toMatchObject(circle);
    expect(await add(a, a)).toMatchObject(circle);
  });

  it('never closes a cycle when two are added at the same time', async () => {
    const [a, b] = [await mine.newTask(), await mine.newTask()];
    const [taskA, taskB] = [
      await findTask(table, mine.projectId, a),
      await findTask(table, mine.projectId, b),
    ];
    if (!taskA || !taskB) throw new Error('They are gone');
    // Both requests have read the same graph, which has no cycle yet.
    const graph = readGraph(undefined);

    const outcomes = await Promise.allSettled([
      addDependency(table, { task: taskA, dependsOn: b, graph }),
      addDependency(table, { task: taskB, dependsOn: a, graph }),
    ]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'TASK_DEPENDENCY_CYCLE' },
    });
  });

  it('is refused on a task of another project, and is removed with a deleted task', async () => {
    const [a, b] = [await mine.newTask(), await mine.newTask()];
    expect(await add(a, newId())).toMatchObject({
      status: 404,
      body: { details: [{ field: 'body.dependsOnTaskId' }] },
    });
    await add(a, b);
    await mine.call('delete', at(b));

    expect((await mine.call('get', at(a))).body).toMatchObject({ dependencies: [], blocked: false });
  });
});

describe('the chat of a task', () => {
  it.each([
    ['the last message of the agent', 'It is ', 'It is done'],
    ['the end of what it said last', '🚪'.repeat(20_000), `${'🚪'.repeat(16_382)}done`],
  ])('shows %s, and is its session', async (_, first, finalAssistantMessage) => {
    const taskId = await mine.newTask();
    const { projectId } = mine;
    const asked = {
      chatId: taskId,
      projectId,
      userId: mine.owner.userId,
      topic: 'Door',
      workspaceId: null,
      taskId,
    };
    const said: readonly [Message['role'], string][] = [
      ['assistant', 'I look'],
      ['tool', 'ls'],
      ['assistant', first],
      ['assistant', 'done'],
      ['tool', 'git push'],
    ];
    await putItem(
      table,
      chatItem({
        ...newChat(asked, new Date()),
        lastSequence: said.length,
        messageCount: said.length,
      }),
    );
    for (const [index, [role, content]] of said.entries()) {
      const sequence = index + 1;
      const message = { chatId: taskId, projectId, sequence, messageId: `m${sequence}`, role, content };
      await putItem(
        table,
        messageItem({
          ...message,
          toolMetadata: null,
          origin: null,
          createdAt: '2026-11-21T10:00:00.000Z',
        }),
      );
    }

    expect((await mine.call('get', at(taskId))).body).toMatchObject({ finalAssistantMessage });
    expect((await mine.call('sessions', at(taskId))).body).toMatchObject({
      sessions: [{ id: taskId, topic: 'Door', status: 'active', messageCount: 5 }],
    });
    expect((await mine.call('sessions', at(await mine.newTask()))).body).toEqual({ sessions: [] });
  });
});
