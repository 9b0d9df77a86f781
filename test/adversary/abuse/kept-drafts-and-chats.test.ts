import { BatchWriteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, chatKey, newChat } from '../../../lambdas/domain/chats/chat.js';
import { createChat } from '../../../lambdas/domain/chats/create-chat.js';
import { maxOpenChats, openChatsKey } from '../../../lambdas/domain/chats/open-chats.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { createTask } from '../../../lambdas/domain/tasks/create-task.js';
import { newTask } from '../../../lambdas/domain/tasks/task.js';
import { draftCountKey, maxDraftsPerPerson } from '../../../lambdas/domain/tasks/task-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aPerson, type Person, projectOf } from '../../support/project-members.js';
import { sharedTable } from '../../support/table.js';

// A person keeps a bounded number of drafts and open chats, however many are asked for at once.

const atOnce = 8;

describe('drafts', () => {
  let routes: LoadedRoutes;
  let table: Table;
  let person: Person;
  let project: Project;

  beforeAll(async () => {
    routes = await loadRoutes(['tasks/create', 'tasks/status', 'tasks/delete', 'tasks/run']);
    ({ table } = routes);
  });
  beforeEach(async () => {
    person = await aPerson(table);
    project = await projectOf(table, person);
  });

  const call = (file: string, body?: object, taskId?: string) =>
    routes.call(file, {
      params: { projectId: project.projectId, ...(taskId ? { taskId } : {}) },
      body,
      cookies: person.cookies,
    });
  const draft = () => call('tasks/create', { title: 'Paint the gate' });
  const refusal = {
    status: 409,
    body: { error: 'DRAFT_LIMIT_REACHED', message: expect.stringContaining(`limit ${maxDraftsPerPerson}`) },
  };
  const idOf = (reply: { readonly body: unknown }) => (reply.body as { readonly id: string }).id;

  function create() {
    const { userId } = person;
    const task = newTask(
      { taskId: newId(), projectId: project.projectId, userId, title: 'Gate' },
      new Date(),
    );
    return createTask(table, task, { project, actor: { actorType: 'user', actorId: userId } });
  }

  async function putCount(draftCount: number): Promise<void> {
    const Item = { ...draftCountKey(person.userId), draftCount };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
  async function countOf(): Promise<unknown> {
    const Key = draftCountKey(person.userId);
    return (await table.client.send(new GetCommand({ TableName: table.name, Key }))).Item?.draftCount;
  }

  it('that are created at once do not pass the limit', async () => {
    await putCount(maxDraftsPerPerson - 2);

    const asked = await Promise.allSettled(Array.from({ length: atOnce }, create));

    const refused = asked.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(atOnce - 2);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: refusal.body.error });
    expect(await countOf()).toBe(maxDraftsPerPerson);
  });

  it('count for their person in all projects', async () => {
    await putCount(maxDraftsPerPerson);
    project = await projectOf(table, person, {
      ...{ name: 'Another', normalizedName: 'another' },
      ...{ repository: 'octo/another', githubRepoId: '4712' },
    });

    expect(await draft()).toMatchObject(refusal);
  });

  it('do not count after their deletion', async () => {
    await putCount(maxDraftsPerPerson - 1);
    const taskId = idOf(await draft());
    expect(await draft()).toMatchObject(refusal);

    expect((await call('tasks/delete', undefined, taskId)).status).toBe(204);
    expect((await call('tasks/delete', undefined, taskId)).status).toBe(404);

    expect((await draft()).status).toBe(201);
    expect(await draft()).toMatchObject(refusal);
  });

  it('do not count after their first run', async () => {
    await putCount(maxDraftsPerPerson - 1);
    const taskId = idOf(await draft());
    expect((await call('tasks/status', { toStatus: 'ready' }, taskId)).status).toBe(200);

    expect((await call('tasks/run', {}, taskId)).status).toBe(202);
    expect((await call('tasks/run', {}, taskId)).status).toBe(409);

    expect(await countOf()).toBe(maxDraftsPerPerson - 1);
  });
});

describe('chats without a task', () => {
  let table: Table;
  let userId: string;
  const now = new Date();

  beforeAll(() => {
    table = sharedTable();
  });
  beforeEach(() => {
    userId = newId();
  });

  const aChat = () =>
    newChat(
      { chatId: newId(), projectId: newId(), userId, workspaceId: null, topic: null, taskId: null },
      now,
    );
  const create = () => createChat(table, aChat(), now);
  const refusal = { code: 'CHAT_LIMIT_REACHED', message: expect.stringContaining(`limit ${maxOpenChats}`) };

  /** So many chats of the person, stored and counted. */
  async function putChats(number: number, changes: object = {}): Promise<readonly string[]> {
    const chats = Array.from({ length: number }, () => ({ ...chatItem(aChat()), ...changes }));
    const ids = chats.map(({ pk }) => pk.slice('CHAT#'.length));
    for (let from = 0; from < chats.length; from += 25) {
      const puts = chats.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
    }
    return ids;
  }
  async function putCounted(ids: readonly string[]): Promise<void> {
    const Item = { ...openChatsKey(userId), chatIds: new Set(ids) };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
  async function read(key: ReturnType<typeof chatKey>) {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
    );
    return Item;
  }

  it('that are created at once do not pass the limit', async () => {
    await putCounted(await putChats(maxOpenChats - 2));

    const asked = await Promise.allSettled(Array.from({ length: atOnce }, create));

    const refused = asked.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(atOnce - 2);
    for (const { reason } of refused) expect(reason).toMatchObject(refusal);
    expect((await read(openChatsKey(userId)))?.chatIds.size).toBe(maxOpenChats);
  });

  it('leave room when they have ended, and expire when nothing was said', async () => {
    const stopped = { status: 'stopped', endedAt: now.toISOString() };
    const open = await putChats(maxOpenChats - 3);
    const [empty = ''] = await putChats(1, stopped);
    const [said = ''] = await putChats(1, { ...stopped, messageCount: 1 });
    const [resumable = ''] = await putChats(1, { ...stopped, endReason: 'workspace_stopped' });
    await putCounted([...open, empty, said, resumable]);

    const asked = await Promise.allSettled(Array.from({ length: 4 }, create));

    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const day = 24 * 60 * 60;
    const seconds = Math.floor(now.getTime() / 1_000);
    expect((await read(chatKey(empty)))?.expiresAt).toBeGreaterThanOrEqual(seconds + 30 * day);
    for (const kept of [said, resumable, open[0] ?? ''])
      expect(await read(chatKey(kept)), kept).not.toHaveProperty('expiresAt');
  });
});
