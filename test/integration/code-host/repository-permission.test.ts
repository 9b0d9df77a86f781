import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantKey, loadAccount } from '../../../lambdas/domain/code-host/grant.js';
import { capabilitiesOf, type MemberRole, memberItem } from '../../../lambdas/domain/projects/member.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { type Workspace, workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aNode } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { walkSignIn } from '../../support/walk-sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';

// What a workspace can do with its repository is what the person who makes it can do there, and no
// more.

let codeHost: AsyncDisposable;
let table: Table;
let calls: CallCount;
let createWorkspace: Invoke;
let createProject: Invoke;
let session: Invoke;
let gitToken: Invoke;
let octo: string;
let hubot: string;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  codeHost = await startCodeHost();
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
  calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
  octo = await walkSignIn(browser, 'octo');
  hubot = await walkSignIn(browser, 'hubot');
  createWorkspace = await loadRoute('workspaces/create');
  createProject = await loadRoute('projects/create');
  session = await loadRoute('auth/session');
  gitToken = await loadRoute('callbacks/git-token');
});

afterAll(() => codeHost[Symbol.asyncDispose]());

const hello = { installationId: '5001', repository: 'octo/hello' };
const put = (Item: Record<string, unknown>) =>
  table.client.send(new PutCommand({ TableName: table.name, Item }));
const userIdOf = async (cookie: string) =>
  ((await session({ cookies: [cookie] })).body as { user: { id: string } }).user.id;

async function workspaceOf(cookie: string, body: object = hello): Promise<Workspace> {
  const made = await createWorkspace({ cookies: [cookie], body });
  expect(made.status).toBe(201);
  const found = await findWorkspace(table, (made.body as { id: string }).id);
  if (!found) throw new Error('The workspace is not in the table');
  return found;
}

/** The token that git in this workspace is given, once it is placed on a node. */
async function gitTokenOf(workspace: Workspace): Promise<{ token: string; cloneUrl: string }> {
  const { nodeId } = aNode();
  const { workspaceId, generation } = workspace;
  await put(workspaceItem({ ...workspace, status: 'running', nodeId }));
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', {
    claims: { sub: workspaceId, node: nodeId, generation },
    now: new Date(),
  });
  const headers = { authorization: `Bearer ${token}` };
  const reply = await gitToken({ params: { workspaceId }, headers });
  expect(reply.status).toBe(200);
  return reply.body as { token: string; cloneUrl: string };
}

/** What the code host answers git that wants to fetch, and git that wants to push. */
async function gitAnswers({ token, cloneUrl }: { token: string; cloneUrl: string }) {
  const headers = { authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}` };
  const ask = async (service: string) =>
    (await fetch(`${cloneUrl}/info/refs?service=${service}`, { headers })).status;
  return { fetch: await ask('git-upload-pack'), push: await ask('git-receive-pack') };
}

describe('a git token of a workspace', () => {
  it('pushes for who may push', async () => {
    const workspace = await workspaceOf(octo);

    expect(workspace.repositoryPermission).toBe('write');
    expect(await gitAnswers(await gitTokenOf(workspace))).toEqual({ fetch: 200, push: 200 });
  });

  it('only reads for who may only read, whatever the installation may do', async () => {
    const workspace = await workspaceOf(hubot);

    expect(workspace.repositoryPermission).toBe('read');
    expect(await gitAnswers(await gitTokenOf(workspace))).toEqual({ fetch: 200, push: 403 });
  });

  it('only reads where it was never recorded what its maker may do', async () => {
    const { repositoryPermission: _, ...older } = await workspaceOf(octo);

    expect(await gitAnswers(await gitTokenOf(older))).toEqual({ fetch: 200, push: 403 });
  });

  it('follows the caller, not the owner of the project', async () => {
    const project = await createProject({ cookies: [octo], body: { name: 'Shared', ...hello } });
    const { id: projectId } = project.body as { id: string };
    await join(projectId, 'maintainer');

    const workspace = await workspaceOf(hubot, { projectId });

    expect(workspace).toMatchObject({ projectId, repositoryPermission: 'read' });
  });
});

async function join(projectId: string, role: MemberRole): Promise<void> {
  const at = new Date().toISOString();
  const summary = { ...hello, name: 'Shared', description: null, defaultBranch: 'main' };
  const project = { ...summary, status: 'active' as const, createdAt: at, updatedAt: at };
  const userId = await userIdOf(hubot);
  await put(memberItem({ projectId, userId, role, status: 'active', project, joinedAt: at }));
}

describe('a workspace of a project', () => {
  it.each(Object.keys(capabilitiesOf) as MemberRole[])(
    'is made by a %s only with the capability',
    async (role) => {
      const { projectId } = aProject;
      await join(projectId, role);

      const reply = await createWorkspace({ cookies: [hubot], body: { projectId } });

      const may = capabilitiesOf[role].includes('workspace:write');
      expect(may).toBe(role !== 'viewer');
      expect(reply).toMatchObject(may ? { status: 201 } : { status: 403, body: { error: 'FORBIDDEN' } });
    },
  );
});

const aProject = { projectId: '01JD3ZK5W8Q2V7N4B6M9X0TRGH' };

describe('a user’s token that has ended', () => {
  const expire = (userId: string) =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: grantKey(userId),
        UpdateExpression: 'SET tokenExpiresAt = :past',
        ExpressionAttributeValues: { ':past': 1 },
      }),
    );

  it('is renewed and stored within the budget of the creation', async () => {
    const userId = await userIdOf(octo);
    await expire(userId);
    calls.reset();

    const reply = await createWorkspace({ cookies: [octo], body: hello });

    expect(reply.status).toBe(201);
    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.POST);
    const { grant } = await loadAccount(table, userId);
    expect(grant?.tokenExpiresAt).toBeGreaterThan(Date.now() / 1000);
    expect((await createWorkspace({ cookies: [octo], body: hello })).status).toBe(201);
  });

  it('is stored even if the creation is refused', async () => {
    const userId = await userIdOf(octo);
    await expire(userId);
    calls.reset();

    const refused = await createWorkspace({ cookies: [octo], body: { ...hello, repository: 'octo/none' } });

    expect(refused.status).toBe(404);
    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.POST);
    const { grant } = await loadAccount(table, userId);
    expect(grant?.tokenExpiresAt).toBeGreaterThan(Date.now() / 1000);
  });

  it('is stored when a twin with the same key is faster', async () => {
    await expire(await userIdOf(octo));
    const request = { cookies: [octo], body: hello, headers: { 'idempotency-key': 'twins-of-octo-0001' } };

    const twins = await Promise.all([createWorkspace(request), createWorkspace(request)]);

    expect(twins.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(twins.map(({ headers }) => headers.location)).size).toBe(1);
    expect((await createWorkspace({ cookies: [octo], body: hello })).status).toBe(201);
  });
});
