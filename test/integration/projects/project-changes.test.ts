import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import {
  Project,
  projectKey,
  projectLayer,
  projectLimits,
} from '../../../lambdas/domain/projects/project.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { TestRequest } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes, pathIds } from '../../support/loaded-routes.js';
import { putItem } from '../../support/project.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';

const files = ['get', 'list', 'change', 'detach'].map((name) => `projects/${name}`);
const others = ['profiles/create', 'profiles/list', 'credentials/remove-of-project'];

let routes: LoadedRoutes;
let table: Table;
let owner: Person;
let project: Project;

beforeAll(async () => {
  routes = await loadRoutes([...files, ...others]);
  ({ table } = routes);
});

beforeEach(async () => {
  owner = await aPerson(table);
  project = await projectOf(table, owner);
});

const call = (file: string, { cookies }: Person, request: TestRequest = {}) =>
  routes.call(file, { params: pathIds(file, { projectId: project.projectId }), ...request, cookies });

const change = (body: object, person = owner) => call('projects/change', person, { body });

async function stored(key: { readonly pk: string; readonly sk: string }) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return Item;
}

describe('a change of a project', () => {
  it('keeps what it does not name, and clears what it names null', async () => {
    await change({ defaultAgentType: 'openai-codex', defaultModel: 'gpt', maxConcurrentTasks: 3 });
    const second = await change({ defaultModel: null, taskExecutionTimeoutMs: 60_000 });

    expect(second).toMatchObject({
      status: 200,
      body: {
        name: 'Hello',
        defaultAgentType: 'openai-codex',
        defaultModel: null,
        maxConcurrentTasks: 3,
        taskExecutionTimeoutMs: 60_000,
        version: 3,
      },
    });
    expect((await call('projects/get', owner)).body).toMatchObject(second.body as object);
  });

  it('is what tasks are started with', async () => {
    await change({ defaultEffort: 'max', maxSubTasksPerTask: 0 });
    const after = Project.parse(await stored(projectKey(project.projectId)));

    expect(projectLayer(after)).toEqual({ id: project.projectId, effort: 'max' });
    expect(projectLimits(after)).toEqual({
      maxConcurrentTasks: 10,
      maxDispatchDepth: 3,
      maxSubTasksPerTask: 0,
    });
  });

  it("is seen in every member's list", async () => {
    const viewer = await memberOf(table, project, 'viewer');
    await change({ name: 'Goodbye', description: 'Moved', defaultBranch: 'trunk' });

    for (const person of [owner, viewer]) {
      expect((await call('projects/list', person)).body).toMatchObject({
        projects: [{ name: 'Goodbye', description: 'Moved', defaultBranch: 'trunk' }],
      });
    }
  });

  it('gives a name free and takes another that is free', async () => {
    await projectOf(table, owner, { name: 'Taken', repository: 'octo/taken' });

    expect(await change({ name: ' TAKEN' })).toMatchObject({
      status: 409,
      body: { error: 'PROJECT_NAME_TAKEN', details: [{ field: 'body.name' }] },
    });
    expect(await change({ name: 'HELLO' })).toMatchObject({ status: 200 });
    expect(await change({ name: 'Free' })).toMatchObject({ status: 200 });
    await expect(projectOf(table, owner, { repository: 'octo/next' })).resolves.toMatchObject({
      name: 'Hello',
    });
  });

  it('is refused when somebody else was faster', async () => {
    const admin = await memberOf(table, project, 'admin');
    const replies = await Promise.all(
      [owner, admin].map(({ cookies }, at) =>
        routes.send('projects/change', {
          cookies,
          params: { projectId: project.projectId },
          body: { description: `${at}`, version: 1 },
        }),
      ),
    );

    expect(replies.map((reply) => reply?.status).sort()).toEqual([200, 409]);
    expect(await change({ version: 1 })).toMatchObject({ status: 409, body: { error: 'VERSION_CONFLICT' } });
    expect(await change({ version: 2 })).toMatchObject({ status: 200 });
  });

  it('is of those who may', async () => {
    const maintainer = await memberOf(table, project, 'maintainer');

    expect(await change({ name: 'Mine' }, maintainer)).toMatchObject({ status: 403 });
    expect(await change({ name: 'Mine' }, await aPerson(table))).toMatchObject({ status: 404 });
  });

  it.each([
    { field: 'body.maxConcurrentTasks', wrong: { maxConcurrentTasks: 0 } },
    { field: 'body.taskExecutionTimeoutMs', wrong: { taskExecutionTimeoutMs: 86_400_001 } },
    { field: 'body.agentDefaults', wrong: { agentDefaults: { cat: {} } } },
    { field: 'body.repository', wrong: { repository: 'octo/other' } },
    { field: 'body.nodeIdleTimeoutMs', wrong: { nodeIdleTimeoutMs: 1 } },
  ])('is refused for what is wrong in $field', async ({ field, wrong }) => {
    const { status, body } = await change(wrong);

    expect(status).toBe(400);
    const [first] = (body as { details: { field: string }[] }).details;
    expect(first?.field.startsWith(field)).toBe(true);
  });
});

it('shows its newest sessions', async () => {
  const ids = Array.from({ length: 12 }, newId);
  for (const chatId of ids) {
    const asked = { chatId, projectId: project.projectId, userId: owner.userId, topic: null };
    await putItem(table, chatItem(newChat({ ...asked, workspaceId: null, taskId: null }, new Date())));
  }

  const { body } = await call('projects/get', owner);

  const { recentSessions } = body as { recentSessions: { id: string }[] };
  expect(recentSessions.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10));
});

describe('a detached project', () => {
  it('can be read, and nothing new can start in it', async () => {
    const admin = await memberOf(table, project, 'admin');
    expect(await call('projects/detach', owner)).toMatchObject({
      status: 200,
      body: { success: true, status: 'detached' },
    });

    expect(await call('projects/get', admin)).toMatchObject({ status: 200, body: { status: 'detached' } });
    expect(await call('profiles/list', admin)).toMatchObject({ status: 200 });
    const refused = { status: 409, body: { error: 'PROJECT_DETACHED' } };
    expect(await change({ name: 'New' }, admin)).toMatchObject(refused);
    expect(await call('profiles/create', admin, { body: { name: 'New' } })).toMatchObject(refused);
    // Secrets can be taken away: there is none, which is looked for only once the project let it.
    const params = { projectId: project.projectId, provider: 'openai' };
    expect(await call('credentials/remove-of-project', admin, { params })).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('Credential') },
    });
  });

  it('leaves its name and repository to the next, once', async () => {
    await call('projects/detach', owner);
    expect(await call('projects/detach', owner)).toMatchObject({ status: 200 });

    expect(await stored(userKey(owner.userId))).toMatchObject({ projectCount: 0 });
    await expect(projectOf(table, owner)).resolves.toBeDefined();
    const { body } = await call('projects/list', owner, { query: { status: 'active' } });
    expect((body as { projects: object[] }).projects).toHaveLength(1);
    expect((await call('projects/list', owner, { query: { status: 'detached' } })).body).toMatchObject({
      projects: [{ id: project.projectId, status: 'detached' }],
    });
  });

  it('is detached by its owner only', async () => {
    const admin = await memberOf(table, project, 'admin');

    expect(await call('projects/detach', admin)).toMatchObject({ status: 403 });
    expect(await call('projects/detach', await aPerson(table))).toMatchObject({ status: 404 });
  });
});
