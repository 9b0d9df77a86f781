import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putInstallation } from '../../../lambdas/domain/code-host/record-installation.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { type Browser, walkSignIn } from '../../support/walk-sign-in.js';

let codeHost: AsyncDisposable;
let calls: CallCount;
let table: Table;
let browser: Browser;
let routes: Record<'create' | 'list' | 'get' | 'installations' | 'repositories' | 'installed', Invoke>;
let octo: string;
let mallory: string;

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
  calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
  octo = await walkSignIn(browser, 'octo');
  mallory = await walkSignIn(browser, 'mallory');
  routes = {
    create: await loadRoute('projects/create'),
    list: await loadRoute('projects/list'),
    get: await loadRoute('projects/get'),
    installations: await loadRoute('codehost/installations'),
    repositories: await loadRoute('codehost/repositories'),
    installed: await loadRoute('codehost/callback'),
  };
});

afterAll(() => codeHost[Symbol.asyncDispose]());

const hello = { name: 'Hello', installationId: '5001', repository: 'octo/hello' };

describe('the code host', () => {
  it('lists the installations a person had at sign-in, and their repositories', async () => {
    calls.reset();
    const installations = await routes.installations({ cookies: [octo] });
    expect(calls.names.length).toBeLessThanOrEqual(callBudget.GET);
    calls.reset();
    const repositories = await routes.repositories({ cookies: [octo], query: { installation_id: '5001' } });
    expect(calls.names.length).toBeLessThanOrEqual(callBudget.GET);

    expect(installations.body).toMatchObject({
      installations: [{ id: '5001', installationId: '5001', accountName: 'octo', accountType: 'personal' }],
      nextCursor: null,
    });
    expect(repositories.body).toMatchObject({
      repositories: [
        { fullName: 'octo/hello', private: false, defaultBranch: 'main', installationId: '5001' },
        { fullName: 'octo/notes', private: true },
      ],
      installUrl: expect.stringContaining('/apps/berth-laptop/installations/new'),
    });
    expect(JSON.stringify(repositories.body)).not.toContain('mallory');
  });

  it('is forgotten where it was uninstalled, at the next sign-in or installation', async () => {
    const { userId } = (
      (await routes.installations({ cookies: [octo] })).body as { installations: { userId: string }[] }
    ).installations[0] as { userId: string };
    const uninstalled = async () => {
      const seen = { installationId: '9999', accountName: 'gone', accountType: 'organization' as const };
      await table.client.send(new UpdateCommand(putInstallation(table, { userId, now: new Date() }, seen)));
    };
    const ids = async () => {
      const { body } = await routes.installations({ cookies: [octo] });
      return (body as { installations: { id: string }[] }).installations.map(({ id }) => id);
    };

    await uninstalled();
    const { failedInstallations } = (await routes.repositories({ cookies: [octo] })).body as {
      failedInstallations: string[];
    };
    expect(failedInstallations).toEqual(['gone']);
    calls.reset();
    await routes.installed({ cookies: [octo], query: { installation_id: '5001' } });
    expect(calls.names).toEqual(['BatchGetItemCommand', 'QueryCommand', 'TransactWriteItemsCommand']);
    expect(await ids()).toEqual(['5001']);

    await uninstalled();
    expect(await ids()).toContain('9999');
    octo = await walkSignIn(browser, 'octo');
    expect(await ids()).toEqual(['5001']);
  });

  it('knows no installation of somebody else', async () => {
    const reply = await routes.repositories({ cookies: [mallory], query: { installation_id: '5001' } });

    expect(reply).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  it('records an installation only for those who can see it', async () => {
    const own = await routes.installed({
      cookies: [octo],
      query: { installation_id: '5001', setup_action: 'install' },
    });
    const foreign = await routes.installed({ cookies: [mallory], query: { installation_id: '5001' } });
    const anybody = await routes.installed({ query: { installation_id: '5001' } });

    expect(own.headers.location).toBe('/settings?github_app=installed');
    expect(foreign.headers.location).toBe('/settings?github_app=error&reason=installation_not_accessible');
    expect(anybody.headers.location).toBe('/?installation_id=5001');
    const { body } = await routes.installations({ cookies: [mallory] });
    expect(body).toMatchObject({ installations: [{ id: '5002' }] });
  });
});

describe('a project', () => {
  it('is created once, listed and read by its owner, and hidden from others', async () => {
    calls.reset();
    const created = await routes.create({ cookies: [octo], body: hello });
    expect(calls.names.length).toBeLessThanOrEqual(callBudget.POST);
    const { id } = created.body as { id: string };
    expect(created).toMatchObject({
      status: 201,
      headers: { location: `/api/projects/${id}` },
      body: {
        name: 'Hello',
        repository: 'octo/hello',
        defaultBranch: 'main',
        role: 'owner',
        description: null,
      },
    });

    calls.reset();
    const read = await routes.get({ cookies: [octo], params: { projectId: id } });
    expect(calls.names.length).toBeLessThanOrEqual(callBudget.GET);
    expect(read.body).toEqual({ ...(created.body as object), lastActivityAt: null, recentSessions: [] });
    expect(await routes.get({ cookies: [mallory], params: { projectId: id } })).toMatchObject({
      status: 404,
      body: { message: 'Project not found' },
    });

    calls.reset();
    const listed = await routes.list({ cookies: [octo] });
    expect(calls.names.length).toBeLessThanOrEqual(callBudget.GET);
    expect(listed.body).toMatchObject({ projects: [{ id, role: 'owner' }], nextCursor: null });
    expect((await routes.list({ cookies: [mallory] })).body).toEqual({ projects: [], nextCursor: null });
  });

  it('has a name and a repository of its own', async () => {
    const sameName = await routes.create({
      cookies: [octo],
      body: { ...hello, name: ' HELLO ', repository: 'octo/notes' },
    });
    const sameRepository = await routes.create({
      cookies: [octo],
      body: { ...hello, name: 'Other', repository: 'Octo/Hello' },
    });

    const { projects } = (await routes.list({ cookies: [octo] })).body as {
      projects: { id: string; name: string }[];
    };
    const existingId = projects.find(({ name }) => name === hello.name)?.id;
    expect(existingId).toBeDefined();
    expect(sameName).toMatchObject({
      status: 409,
      body: { error: 'PROJECT_NAME_TAKEN', details: [{ field: 'body.name', existingId }] },
    });
    expect(sameRepository).toMatchObject({
      status: 409,
      body: { error: 'PROJECT_REPOSITORY_TAKEN', details: [{ field: 'body.repository', existingId }] },
    });
  });

  it('of two creates at once, one wins and nothing is left of the other', async () => {
    const notes = { ...hello, name: 'Notes', repository: 'octo/notes' };

    const both = await Promise.all([1, 2].map(() => routes.create({ cookies: [octo], body: notes })));

    const statuses = both.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(201);
    expect([409, 503]).toContain(statuses[1]);
    const { body } = await routes.list({ cookies: [octo], query: { limit: '200' } });
    const names = (body as { projects: { name: string }[] }).projects.map(({ name }) => name);
    expect(names.filter((name) => name === 'Notes')).toHaveLength(1);
  });

  it('is of a repository that its maker can see, on an installation of theirs', async () => {
    const hidden = await routes.create({
      cookies: [mallory],
      body: { name: 'Spy', installationId: '5001', repository: 'octo/notes' },
    });
    const mismatched = await routes.create({
      cookies: [mallory],
      body: { name: 'Spy', installationId: '5002', repository: 'octo/notes' },
    });
    const missing = await routes.create({
      cookies: [mallory],
      body: { name: 'Spy', installationId: '5002', repository: 'mallory/nothing' },
    });

    expect(hidden).toMatchObject({ status: 404, body: { message: 'Installation not found' } });
    expect(mismatched).toMatchObject({ status: 400, body: { details: [{ field: 'body.repository' }] } });
    expect(missing).toMatchObject({ status: 404, body: { message: 'Repository not found' } });
  });

  it.each([
    [{ ...hello, name: '' }, 'body.name'],
    [{ ...hello, name: 'x'.repeat(101) }, 'body.name'],
    [{ ...hello, name: 'two\nlines' }, 'body.name'],
    [{ ...hello, repository: '../../user' }, 'body.repository'],
    [{ ...hello, repository: 'octo/..' }, 'body.repository'],
    [{ ...hello, installationId: '1/../2' }, 'body.installationId'],
    [{ ...hello, defaultBranch: 'a b' }, 'body.defaultBranch'],
    [{ ...hello, defaultBranch: '-x' }, 'body.defaultBranch'],
    [{ ...hello, owner: 'me' }, 'body.owner'],
  ])('is refused with the field that is wrong: %j', async (body, field) => {
    const reply = await routes.create({ cookies: [octo], body });

    expect(reply).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST', details: [{ field }] } });
  });

  it('pages through a list by a cursor that fits nobody else', async () => {
    const first = await routes.list({ cookies: [octo], query: { limit: '1' } });
    const { projects, nextCursor } = first.body as { projects: { name: string }[]; nextCursor: string };
    const second = await routes.list({ cookies: [octo], query: { limit: '1', cursor: nextCursor } });
    const foreign = await routes.list({ cookies: [mallory], query: { limit: '1', cursor: nextCursor } });

    expect(projects.map(({ name }) => name)).toEqual(['Notes']);
    expect(second.body).toMatchObject({ projects: [{ name: 'Hello' }] });
    expect(foreign).toMatchObject({ status: 400, body: { details: [{ field: 'query.cursor' }] } });
  });

  it('is created once for an Idempotency-Key', async () => {
    const body = { name: 'Secrets', installationId: '5002', repository: 'mallory/secrets' };
    const request = () =>
      routes.create({ cookies: [mallory], body, headers: { 'idempotency-key': 'again' } });
    const [first, again] = [await request(), await request()];

    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
  });
});
