import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { sessionCredentialKey } from '../../../lambdas/domain/credentials/session-credential.js';
import { listCredentials } from '../../../lambdas/domain/credentials/stored-credentials.js';
import { removeMember } from '../../../lambdas/domain/members/change-member.js';
import { Member, type MemberRole, memberItem, memberKey } from '../../../lambdas/domain/projects/member.js';
import { type Project, projectItem } from '../../../lambdas/domain/projects/project.js';
import { rateWindowKey } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { TestRequest } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';

const files = [
  'store',
  'list',
  'remove',
  'store-for-project',
  'list-of-project',
  'remove-of-project',
  'store-for-platform',
  'list-of-platform',
  'remove-of-platform',
  'personal',
  'allow-personal',
  'refuse-personal',
].map((name) => `credentials/${name}`);
const callbacks = ['callbacks/agent-key', 'callbacks/agent-credential-sync'];

let routes: LoadedRoutes;
let table: Table;
let person: SignedIn;

beforeAll(async () => {
  routes = await loadRoutes([...files, ...callbacks]);
  ({ table } = routes);
  person = await signIn(table);
});

const call: LoadedRoutes['call'] = (...request) => routes.call(...request);

const anthropic = { provider: 'anthropic', credentialType: 'agent-api-key', token: 'sk-ant-0123456789-abcd' };
const as = ({ cookie }: SignedIn, more: TestRequest = {}): TestRequest => ({ cookies: [cookie], ...more });

describe('what a person stores', () => {
  it('is listed without its token, replaced by the next, and gone when deleted', async () => {
    const me = await signIn(table);

    const first = await call('credentials/store', as(me, { body: anthropic }));
    const second = await call(
      'credentials/store',
      as(me, { body: { ...anthropic, token: 'sk-ant-another-one-wxyz' } }),
    );
    const listed = await call('credentials/list', as(me));

    expect(first).toMatchObject({
      status: 201,
      body: { provider: 'anthropic', connected: true, maskedKey: '…abcd' },
    });
    expect(second).toMatchObject({ status: 200, body: { maskedKey: '…wxyz', validation: { valid: true } } });
    expect((second.body as { id: string }).id).toBe((first.body as { id: string }).id);
    expect(listed.body).toMatchObject({ credentials: [{ provider: 'anthropic', maskedKey: '…wxyz' }] });
    expect(JSON.stringify([first, second, listed])).not.toContain('sk-ant');
    expect(await call('credentials/list', as(person))).toMatchObject({ body: { credentials: [] } });

    const params = { provider: 'anthropic' };
    expect(await call('credentials/remove', as(me, { params }))).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await call('credentials/remove', as(me, { params }))).toMatchObject({ status: 404 });
    expect(await call('credentials/list', as(me))).toMatchObject({ body: { credentials: [] } });
  });

  it('can be stored thirty times an hour, for whomever', async () => {
    const me = await signIn(table, { role: 'superadmin' });
    const { CREDENTIAL_UPDATE: limit } = rateLimits;
    expect(await call('credentials/store', as(me, { body: anthropic }))).toMatchObject({
      headers: { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' },
    });

    const seconds = Math.floor(Date.now() / 1000);
    for (const start of [0, limit.windowSeconds].map(
      (later) => seconds - (seconds % limit.windowSeconds) + later,
    ))
      await putItem(table, { ...rateWindowKey(limit, me.userId, start), count: 30 });
    for (const file of ['store', 'store-for-platform'])
      expect(await call(`credentials/${file}`, as(me, { body: anthropic }))).toMatchObject({
        status: 429,
        body: { error: 'RATE_LIMIT_EXCEEDED' },
      });
  });

  it('lies encrypted in the table', async () => {
    const me = await signIn(table);
    await call('credentials/store', as(me, { body: anthropic }));

    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': `USER#${me.userId}` },
      }),
    );

    expect(Items?.map(({ entity }) => entity).sort()).toEqual(['credential', 'user']);
    expect(JSON.stringify(Items)).not.toContain('sk-ant');
  });

  it.each([
    ['an unknown provider', { provider: 'nobody' }, 'body.provider'],
    ['a provider of another type', { credentialType: 'cloud-provider' }, 'body.credentialType'],
    ['a key with a space', { token: 'sk-ant-01234 56789' }, 'body.token'],
    ['the key of an example', { token: 'sk-ant-0123…' }, 'body.token'],
    ['a key that is too short', { token: 'short' }, 'body.token'],
    ['a key that is too long', { token: 'x'.repeat(65_537) }, 'body.token'],
    ['control characters', { token: 'sk-ant-0123\u0000456789' }, 'body.token'],
    [
      'a sign-in of a cloud',
      { provider: 'hetzner', credentialType: 'cloud-provider', credentialKind: 'oauth-token' },
      'body.credentialKind',
    ],
    ['a field that is not known', { owner: 'me' }, 'body'],
  ])('is refused with %s', async (_, wrong, field) => {
    const reply = await call('credentials/store', as(person, { body: { ...anthropic, ...wrong } }));

    expect(reply).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } });
    expect(
      (reply.body as { details: { field: string }[] }).details.map((detail) => detail.field).join(),
    ).toContain(field);
    expect(JSON.stringify(reply)).not.toContain('sk-ant');
    expect(await call('credentials/list', as(person))).toMatchObject({ body: { credentials: [] } });
  });
});

describe('what a project has', () => {
  it('is stored by who may write secrets, and read by who may read them', async () => {
    const project = aProject();
    const { projectId } = project;
    await putItem(table, projectItem(project));
    const admin = await member(project, 'admin');
    const maintainer = await member(project, 'maintainer');
    const params = { projectId };

    const stored = await call('credentials/store-for-project', as(admin, { params, body: anthropic }));
    const refused = await call('credentials/store-for-project', as(maintainer, { params, body: anthropic }));
    const listed = await call('credentials/list-of-project', as(maintainer, { params }));

    expect([stored.status, refused.status]).toEqual([201, 403]);
    expect(listed).toMatchObject({ status: 200, body: { credentials: [{ provider: 'anthropic' }] } });
    const one = { ...params, provider: 'anthropic' };
    expect(await call('credentials/remove-of-project', as(admin, { params: one }))).toMatchObject({
      status: 200,
    });
    expect(await call('credentials/list-of-project', as(maintainer, { params }))).toMatchObject({
      body: { credentials: [] },
    });
  });
});

async function member(project: Project, role: MemberRole): Promise<SignedIn> {
  const someone = await signIn(table);
  const { projectId, createdAt: joinedAt } = project;
  await putItem(
    table,
    memberItem({ projectId, userId: someone.userId, role, status: 'active', project, joinedAt }),
  );
  return someone;
}

/** Running in each workspace. */
const sessions = { first: newId(), second: newId() };

function sessionIn({ workspaceId, generation, userId, projectId }: Workspace, agentSessionId: string) {
  const at = new Date().toISOString();
  return agentSessionItem({
    ...{ agentSessionId, workspaceId, generation, userId, projectId, chatId: null },
    ...{ status: 'running', label: null, agentType: null, stoppedAt: null, createdAt: at, updatedAt: at },
  });
}

async function workspaceOf(overrides: Partial<Workspace> = {}) {
  const { workspace } = await placedWorkspace(table, { status: 'running', ...overrides });
  for (const agentSessionId of Object.values(sessions))
    await putItem(table, sessionIn(workspace, agentSessionId));
  const { workspaceId, nodeId, generation } = workspace;
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  const request = { params: { workspaceId }, headers: { authorization: `Bearer ${token}` } };
  const ask = (sessionId = sessions.first) =>
    call('callbacks/agent-key', { ...request, body: { agentType: 'claude-code', sessionId } });
  const sync = (credential: string, sessionId = sessions.first) =>
    call('callbacks/agent-credential-sync', {
      ...request,
      body: { agentType: 'claude-code', sessionId, credentialKind: 'oauth-token', credential },
    });
  return { workspace, ask, sync };
}

describe('what an agent is given', () => {
  it('is the project’s, else its owner’s', async () => {
    const project = aProject({ memberCount: 2 });
    await putItem(table, projectItem(project));
    const me = await member(project, 'maintainer');
    const admin = await member(project, 'admin');
    await call('credentials/allow-personal', as(me, { params: { projectId: project.projectId } }));
    const { ask } = await workspaceOf({ userId: me.userId, projectId: project.projectId });
    const keyOf = async () => ((await ask()).body as { apiKey?: string }).apiKey;

    expect((await ask()).status).toBe(404);
    await call('credentials/store', as(me, { body: { ...anthropic, token: 'sk-of-the-person-00' } }));
    expect(await keyOf()).toBe('sk-of-the-person-00');
    const params = { projectId: project.projectId };
    await call(
      'credentials/store-for-project',
      as(admin, { params, body: { ...anthropic, token: 'sk-of-project-00000' } }),
    );
    expect(await keyOf()).toBe('sk-of-project-00000');
  });

  it('is never the deployment’s: a workspace would hold the key itself', async () => {
    const boss = await signIn(table, { role: 'superadmin' });
    const body = { ...anthropic, token: 'sk-of-platform-0000' };
    expect((await call('credentials/store-for-platform', as(boss, { body }))).status).toBe(201);
    const { ask } = await workspaceOf();

    const reply = await ask();

    expect(reply.status).toBe(404);
    expect(JSON.stringify(reply)).not.toContain('sk-of-platform');
    await call('credentials/remove-of-platform', as(boss, { params: { provider: 'anthropic' } }));
    expect(await call('credentials/list-of-platform', as(boss))).toMatchObject({ body: { credentials: [] } });
  });

  it('is never somebody else’s', async () => {
    const other = await signIn(table);
    await call('credentials/store', as(other, { body: anthropic }));

    expect((await (await workspaceOf()).ask()).status).toBe(404);
  });

  it('is not given to a session that the workspace does not have, which leaves no record', async () => {
    const me = await signIn(table);
    await call('credentials/store', as(me, { body: anthropic }));
    const { workspace, ask } = await workspaceOf({ userId: me.userId });
    const agentSessionId = newId();

    expect((await ask(agentSessionId)).status).toBe(404);

    expect(await itemOf(sessionCredentialKey(workspace.workspaceId, agentSessionId))).toBeUndefined();
  });

  it('is not given to a workspace that is being stopped, or to an earlier life of it', async () => {
    const me = await signIn(table);
    await call('credentials/store', as(me, { body: anthropic }));

    for (const overrides of [{ status: 'stopping' }, { status: 'errored' }] as const) {
      const { ask } = await workspaceOf({ userId: me.userId, ...overrides });
      expect((await ask()).status).toBe(410);
    }
  });

  it.each([
    ['may only look on', { role: 'viewer' }],
    ['was removed', { status: 'removed' }],
    ['is suspended', { status: 'suspended' }],
  ] as const)('is none where its owner %s in the project', async (_, changes) => {
    const project = aProject({ memberCount: 2 });
    const { projectId, createdAt: joinedAt } = project;
    await putItem(table, projectItem(project));
    const admin = await member(project, 'admin');
    const me = await member(project, 'maintainer');
    await call('credentials/allow-personal', as(me, { params: { projectId } }));
    await call('credentials/store', as(me, { body: anthropic }));
    await call('credentials/store-for-project', as(admin, { params: { projectId }, body: anthropic }));
    await putItem(
      table,
      memberItem({
        projectId,
        userId: me.userId,
        role: 'maintainer',
        status: 'active',
        project,
        joinedAt,
        ...changes,
      }),
    );

    const reply = await (await workspaceOf({ userId: me.userId, projectId })).ask();

    expect(reply).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
  });

  const signInFile = '{"refresh": "one-of-a-file"}';

  const storeSignIn = (file: string, request: TestRequest) =>
    call(file, { ...request, body: { ...anthropic, credentialKind: 'oauth-token', token: signInFile } });

  async function signedInAgent() {
    const me = await signIn(table);
    const store = (token: string) =>
      call('credentials/store', as(me, { body: { ...anthropic, credentialKind: 'oauth-token', token } }));
    await store(signInFile);
    return { store, ...(await workspaceOf({ userId: me.userId })) };
  }

  it('comes back renewed, once for each renewal', async () => {
    const { ask, sync } = await signedInAgent();
    expect(await ask()).toMatchObject({
      status: 200,
      body: { apiKey: signInFile, credentialKind: 'oauth-token' },
    });

    expect(await sync('{"refresh": "two-of-a-file"}')).toMatchObject({
      body: { success: true, updated: true },
    });
    expect(await sync('{"refresh": "two-of-a-file"}')).toMatchObject({ body: { updated: false } });
    expect(await sync('{"refresh": "three-of-a-file"}')).toMatchObject({ body: { updated: true } });

    expect(await ask()).toMatchObject({ body: { apiKey: '{"refresh": "three-of-a-file"}' } });
  });

  it('does not replace what its owner has stored since', async () => {
    const { ask, sync, store } = await signedInAgent();
    await ask();
    await store('{"refresh": "by-its-owner"}');

    expect(await sync('{"refresh": "by-the-agent"}')).toMatchObject({
      status: 200,
      body: { updated: false },
    });

    expect(await ask(sessions.second)).toMatchObject({ body: { apiKey: '{"refresh": "by-its-owner"}' } });
  });

  it('does not come back from a session that was never given it', async () => {
    const { ask, sync } = await signedInAgent();
    await ask(sessions.first);

    expect(await sync('{"refresh": "from-nowhere"}', newId())).toMatchObject({
      body: { updated: false },
    });
  });

  it('comes back renewed to its owner, also when the project has one by then', async () => {
    const project = aProject();
    await putItem(table, projectItem(project));
    const me = await member(project, 'maintainer');
    await putItem(table, projectItem({ ...project, soleMemberId: me.userId }));
    const admin = await member(project, 'admin');
    const { projectId } = project;
    await storeSignIn('credentials/store', as(me));
    const { ask, sync } = await workspaceOf({ userId: me.userId, projectId });
    expect(await ask()).toMatchObject({ status: 200 });
    await call('credentials/store-for-project', as(admin, { params: { projectId }, body: anthropic }));

    expect(await sync('{"refresh": "two-of-a-file"}')).toMatchObject({ body: { updated: true } });
  });

  describe('of the project’s', () => {
    async function sharedSignIn(role: MemberRole) {
      const project = aProject();
      const { projectId } = project;
      await putItem(table, projectItem(project));
      const admin = await member(project, 'admin');
      const one = await member(project, role);
      await storeSignIn('credentials/store-for-project', as(admin, { params: { projectId } }));
      const { ask, sync } = await workspaceOf({ userId: one.userId, projectId });
      expect(await ask()).toMatchObject({ body: { apiKey: signInFile } });
      const change = (changes: Partial<Member>) =>
        putItem(
          table,
          memberItem({
            ...{ projectId, userId: one.userId, role, status: 'active', project },
            joinedAt: project.createdAt,
            ...changes,
          }),
        );
      const shared = async () => {
        const other = await workspaceOf({ userId: admin.userId, projectId });
        return ((await other.ask()).body as { apiKey: string }).apiKey;
      };
      return { project, one, sync, change, shared };
    }

    it('is renewed by a session of a member who may write secrets', async () => {
      const { one, project, sync, shared } = await sharedSignIn('admin');

      expect(await sync('{"refresh": "two-of-a-file"}')).toMatchObject({ body: { updated: true } });

      expect(await shared()).toBe('{"refresh": "two-of-a-file"}');
      const owner = { kind: 'project', id: project.projectId } as const;
      const [stored] = await listCredentials(table, owner);
      expect(stored?.storedBy).toBe(one.userId);
    });

    it('is not replaced by a session of a maintainer', async () => {
      const { sync, shared } = await sharedSignIn('maintainer');

      expect(await sync('{"refresh": "by-the-member"}')).toMatchObject({
        status: 200,
        body: { success: true, updated: false },
      });

      expect(await shared()).toBe(signInFile);
    });

    it.each([
      ['was demoted', { role: 'viewer' }],
      ['was suspended', { status: 'suspended' }],
      ['was removed', { status: 'removed' }],
    ] as const)('is not replaced by a session of an admin who %s at the same time', async (_, changes) => {
      const { sync, change, shared } = await sharedSignIn('admin');
      await change(changes);

      expect(await sync('{"refresh": "by-the-member"}')).toMatchObject({ body: { updated: false } });

      expect(await shared()).toBe(signInFile);
    });

    it('is not replaced in a detached project', async () => {
      const { project, sync, shared } = await sharedSignIn('admin');
      await putItem(table, projectItem({ ...project, status: 'detached' }));

      expect(await sync('{"refresh": "by-the-member"}')).toMatchObject({ body: { updated: false } });

      expect(await shared()).toBe(signInFile);
    });
  });

  it('is not renewed with control characters', async () => {
    const { ask, sync } = await signedInAgent();
    await ask();

    expect(await sync('one-of-a-\u0000-file')).toMatchObject({
      status: 400,
      body: { error: 'BAD_REQUEST', details: [{ field: 'body.credential' }] },
    });
  });

  it('cannot be changed where it is a key', async () => {
    const me = await signIn(table);
    await call('credentials/store', as(me, { body: anthropic }));
    const { ask, sync } = await workspaceOf({ userId: me.userId });
    await ask();

    expect(await sync('sk-ant-of-an-attacker')).toMatchObject({ body: { updated: false } });
  });
});

describe('a person’s own credential in a project', () => {
  async function aTeam(overrides: Partial<Project> = {}) {
    const project = aProject({ memberCount: 2, ...overrides });
    const { projectId } = project;
    await putItem(table, projectItem(project));
    const me = await member(project, 'maintainer');
    await call('credentials/store', as(me, { body: anthropic }));
    const { ask } = await workspaceOf({ userId: me.userId, projectId });
    const consent = (file: string, who = me) =>
      call(`credentials/${file}`, as(who, { params: { projectId } }));
    return { project, projectId, me, ask, consent };
  }

  it('is not used before its owner allowed it, and the answer says how', async () => {
    const { projectId, ask, consent } = await aTeam();
    expect(await consent('personal')).toMatchObject({
      status: 200,
      body: { allowed: false, reason: null, allowedAt: null },
    });

    const refused = await ask();

    expect(refused).toMatchObject({ status: 403, body: { error: 'CREDENTIAL_NOT_ALLOWED_IN_PROJECT' } });
    expect(JSON.stringify(refused.body)).toContain(`PUT /api/projects/${projectId}/personal-credentials`);
    expect(JSON.stringify(refused)).not.toContain(anthropic.token);

    const allowed = await consent('allow-personal');
    expect(allowed).toMatchObject({ status: 200, body: { allowed: true, reason: 'consent' } });
    expect((await consent('allow-personal')).body).toEqual(allowed.body);
    expect((await consent('personal')).body).toEqual(allowed.body);
    expect(await ask()).toMatchObject({ status: 200, body: { apiKey: anthropic.token } });
  });

  it('is not used any more once its owner withdrew that', async () => {
    const { ask, consent } = await aTeam();
    await consent('allow-personal');

    for (const _ of ['first', 'repeat'])
      expect(await consent('refuse-personal')).toMatchObject({ status: 200, body: { allowed: false } });

    expect((await ask()).status).toBe(403);
  });

  it('is allowed by its owner for themselves only', async () => {
    const { project, ask, consent } = await aTeam();
    const admin = await member(project, 'admin');

    expect(await consent('allow-personal', admin)).toMatchObject({ status: 200, body: { allowed: true } });

    expect((await ask()).status).toBe(403);
    expect(await consent('allow-personal', await member(project, 'viewer'))).toMatchObject({ status: 403 });
    expect(await consent('allow-personal', await signIn(table))).toMatchObject({ status: 404 });
  });

  it('is used without being asked for while its owner is the only member, and not once another joined', async () => {
    const { project, me, ask, consent } = await aTeam();
    await putItem(table, projectItem({ ...project, soleMemberId: me.userId }));
    expect(await consent('personal')).toMatchObject({
      body: { allowed: true, reason: 'only-member', allowedAt: null },
    });
    expect((await ask()).status).toBe(200);

    await putItem(table, projectItem(project));

    expect(await consent('personal')).toMatchObject({ body: { allowed: false } });
    expect((await ask()).status).toBe(403);
  });

  it('is not allowed in a detached project, and can be withdrawn there', async () => {
    const { project, consent } = await aTeam();
    await consent('allow-personal');
    await putItem(table, projectItem({ ...project, status: 'detached' }));

    expect(await consent('refuse-personal')).toMatchObject({ status: 200, body: { allowed: false } });
    expect((await consent('allow-personal')).status).toBe(409);
  });

  it('is to be allowed again by who was removed and joins again', async () => {
    const { project, projectId, me, ask, consent } = await aTeam({ memberCount: 3 });
    await consent('allow-personal');
    const admin = Member.parse(await itemOf(memberKey(projectId, (await member(project, 'admin')).userId)));
    const target = Member.parse(await itemOf(memberKey(projectId, me.userId)));

    await removeMember(table, { actor: admin, target, now: new Date() });
    const removed = Member.parse(await itemOf(memberKey(projectId, me.userId)));
    await putItem(table, memberItem({ ...removed, status: 'active' }));

    expect((await ask()).status).toBe(403);
  });
});

async function itemOf(Key: Readonly<Record<string, string>>) {
  return (await table.client.send(new GetCommand({ TableName: table.name, Key: { ...Key } }))).Item;
}
