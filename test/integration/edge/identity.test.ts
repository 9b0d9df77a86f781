import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Capability,
  capabilitiesOf,
  type MemberRole,
  memberItem,
} from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Route } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestRequest } from '../../support/invoke.js';
import { aNode, aWorkspace, putNode, putWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { sharedTable } from '../../support/table.js';
import { signingKeys, wrongTokens } from '../../support/wrong-tokens.js';

// Every route of the table, with every identity that must not pass. A new row is tested by being
// there.

const table = sharedTable();
const invokes = new Map<string, Invoke>();
let stranger: SignedIn;
let expired: SignedIn;
let nodeId: string;
let workspaceId: string;
let projectId: string;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  // A deployment has one; without it a route that looks into it fails.
  await new S3Client({ forcePathStyle: true }).send(
    new CreateBucketCommand({ Bucket: functionEnv.ARTIFACTS_BUCKET }),
  );
  for (const { file } of routes) invokes.set(file, await loadRoute(file));
  stranger = await signIn(table);
  expired = await signIn(table, { expiresAt: Math.floor(Date.now() / 1000) - 1 });
  ({ nodeId } = await putNode(table, aNode()));
  ({ workspaceId } = await putWorkspace(table, aWorkspace({ nodeId })));
  projectId = newId();
  await put(projectItem({ ...project(), projectId }));
});

const put = (Item: Record<string, unknown>) =>
  table.client.send(new PutCommand({ TableName: table.name, Item }));

const project = () => ({
  projectId: newId(),
  userId: newId(),
  name: 'Hidden',
  normalizedName: 'hidden',
  description: null,
  installationId: '5001',
  repository: 'octo/hidden',
  githubRepoId: '1',
  defaultBranch: 'main',
  status: 'active' as const,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
});

/** Of routes that look at the body before the record. */
const bodies: Readonly<Record<string, object>> = { 'workspaces/keep-awake': { minutes: 1 } };

async function call({ file, method, path }: Route, request: TestRequest, ids: Record<string, string> = {}) {
  const invoke = invokes.get(file);
  if (!invoke) throw new Error(`${file} is not loaded`);
  const others = {
    ...{ sessionId: newId(), taskId: newId(), dependsOnTaskId: newId() },
    ...{ profileId: newId(), skillId: newId(), userId: newId(), inviteId: newId() },
    interactionId: randomUUID(),
    subscriptionId: newId(),
    ...{ sequence: '1', provider: 'anthropic', channel: 'gates' },
    pushSubscriptionId: 'a'.repeat(22),
  };
  const known = Object.entries({ nodeId, workspaceId, projectId, ...others, ...ids });
  const params = Object.fromEntries(known.filter(([name]) => path.includes(`{${name}}`)));
  return invoke({ params, ...(method === 'GET' ? {} : { body: bodies[file] ?? {} }), ...request });
}

const named = (kinds: readonly Route['auth']['kind'][]) =>
  routes
    .filter(({ auth }) => kinds.includes(auth.kind))
    .map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(named(['session', 'capability', 'superadmin']))('%s needs a session', (_name, route) => {
  it('and refuses nobody, a forged one, an expired one and a token', async () => {
    const { token } = await issueToken(signingKeys(), 'nodeCallback', {
      claims: { sub: nodeId },
      now: new Date(),
    });
    const wrong: TestRequest[] = [
      {},
      { cookies: ['__Host-berth_session='] },
      { cookies: [`__Host-berth_session=${'A'.repeat(43)}`] },
      // The hash is what the table holds; whoever reads it there must not be able to use it.
      { cookies: [`__Host-berth_session=${stranger.sessionHash}`] },
      { cookies: [expired.cookie] },
      { headers: { authorization: `Bearer ${token}` } },
    ];

    for (const request of wrong) {
      expect(await call(route, request)).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
    }
  });

  it.runIf(route.method !== 'GET')('and refuses what another site sends', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const reply = await call(route, { cookies: [stranger.cookie], headers });
      expect(reply).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
    }
  });
});

const owned = named(['session']).filter(([, { auth }]) => auth.kind === 'session' && auth.owns);

it.each(owned)('%s treats what is somebody else’s as if it were not there', async (_name, route) => {
  const theirs = await call(route, { cookies: [stranger.cookie] });
  const nobodys = await call(
    route,
    { cookies: [stranger.cookie] },
    { nodeId: newId(), workspaceId: newId() },
  );

  // The interface answers the deletion of a missing workspace with 409.
  expect(theirs.status).toBe(route.file === 'workspaces/delete' ? 409 : 404);
  expect({ status: theirs.status, body: theirs.body }).toEqual({
    status: nobodys.status,
    body: nobodys.body,
  });
});

const superadminOnly = named(['superadmin']);
it.runIf(superadminOnly.length > 0).each(superadminOnly)(
  '%s refuses all but superadmins',
  async (_name, route) => {
    for (const role of ['user', 'admin'] as const) {
      const { cookie } = await signIn(table, { role });
      expect(await call(route, { cookies: [cookie] })).toMatchObject({
        status: 403,
        body: { error: 'FORBIDDEN' },
      });
    }
  },
);

it('every kind of caller that the table knows is tested here', () => {
  const tested: Readonly<Record<Route['auth']['kind'], true>> = {
    public: true,
    session: true,
    capability: true,
    superadmin: true,
    nodeCallback: true,
    workspaceCallback: true,
    agentCallback: true,
    anyCallback: true,
    mcp: true,
    own: true,
  };
  expect(routes.every(({ auth }) => tested[auth.kind])).toBe(true);
  // What names a record in its path says whose it must be, or checks a proof of its own.
  const nobodys = routes.filter(
    ({ path, auth }) => /\{(node|workspace|project)Id\}/.test(path) && auth.kind === 'session' && !auth.owns,
  );
  expect(nobodys).toEqual([]);
});

describe.each(named(['capability']))('%s is for members', (_name, route) => {
  const capability = route.auth.kind === 'capability' ? route.auth.capability : undefined;

  async function memberWith(role: MemberRole, status: 'active' | 'removed') {
    const person = await signIn(table);
    const { userId } = person;
    await put(
      memberItem({ projectId, userId, role, status, project: project(), joinedAt: project().createdAt }),
    );
    return person;
  }

  it('and hides the project from outsiders and former members', async () => {
    const former = await memberWith('owner', 'removed');

    for (const { cookie } of [stranger, former]) {
      expect(await call(route, { cookies: [cookie] })).toMatchObject({
        status: 404,
        body: { error: 'NOT_FOUND' },
      });
    }
  });

  const lacking = (Object.keys(capabilitiesOf) as MemberRole[]).filter(
    (role) => !capabilitiesOf[role].includes(capability as Capability),
  );
  it.runIf(lacking.length > 0).each(lacking)(
    'and refuses a %s, whose role lacks the capability',
    async (role) => {
      const member = await memberWith(role, 'active');

      expect(await call(route, { cookies: [member.cookie] })).toMatchObject({
        status: 403,
        body: { error: 'FORBIDDEN' },
      });
    },
  );
});

describe.each(named(['nodeCallback', 'workspaceCallback']))('%s needs its callback token', (_name, route) => {
  const kind = route.auth.kind === 'nodeCallback' ? 'nodeCallback' : 'workspaceCallback';
  const bearer = (token: string): TestRequest => ({ headers: { authorization: `Bearer ${token}` } });

  it('and refuses every other one, and a person', async () => {
    const refused = { status: 401, body: { error: 'NODE_CALLBACK_UNAUTHORIZED' } };

    expect(await call(route, {})).toMatchObject(refused);
    expect(await call(route, { cookies: [stranger.cookie] })).toMatchObject(refused);
    expect(await call(route, { headers: { authorization: 'Basic eDp5' } })).toMatchObject(refused);
    for (const [what, token] of await wrongTokens(kind, { nodeId, workspaceId })) {
      expect(await call(route, bearer(token)), what).toMatchObject(refused);
    }
  });

  it('and refuses that of another node or workspace', async () => {
    const now = new Date();
    const other =
      kind === 'nodeCallback'
        ? await issueToken(signingKeys(), kind, { claims: { sub: newId() }, now })
        : await issueToken(signingKeys(), kind, {
            claims: { sub: newId(), node: nodeId, generation: 1 },
            now,
          });

    const reply = await call(route, bearer(other.token));

    expect(reply).toMatchObject({ status: 403, body: { error: 'NODE_CALLBACK_FORBIDDEN' } });
  });
});

describe.each(named(['agentCallback']))('%s needs a workspace’s callback token', (_name, route) => {
  const bearer = (token: string): TestRequest => ({ headers: { authorization: `Bearer ${token}` } });

  it('and refuses every other one, and a person', async () => {
    const refused = { status: 401, body: { error: 'NODE_CALLBACK_UNAUTHORIZED' } };

    expect(await call(route, {})).toMatchObject(refused);
    expect(await call(route, { cookies: [stranger.cookie] })).toMatchObject(refused);
    for (const [what, token] of await wrongTokens('workspaceCallback', { nodeId, workspaceId })) {
      expect(await call(route, bearer(token)), what).toMatchObject(refused);
    }
  });
});

describe.each(named(['anyCallback']))('%s needs a callback token', (_name, route) => {
  const bearer = (token: string): TestRequest => ({ headers: { authorization: `Bearer ${token}` } });

  it('and refuses every other token, and a person', async () => {
    const refused = { status: 401, body: { error: 'NODE_CALLBACK_UNAUTHORIZED' } };
    const wrong = await Promise.all(
      (['nodeCallback', 'workspaceCallback'] as const).map((kind) =>
        wrongTokens(kind, { nodeId, workspaceId }),
      ),
    );

    expect(await call(route, {})).toMatchObject(refused);
    expect(await call(route, { cookies: [stranger.cookie] })).toMatchObject(refused);
    for (const [what, token] of wrong.flat()) {
      if (what === 'of the other kind of callback') continue;
      expect(await call(route, bearer(token)), what).toMatchObject(refused);
    }
  });
});

describe.each(named(['mcp']))('%s needs an agent’s token', (_name, route) => {
  it('and refuses every other one, and a person', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const wrong: readonly TestRequest[] = [
      {},
      { cookies: [stranger.cookie] },
      { headers: { authorization: `Bearer ${stranger.cookie.split('=')[1]}` } },
      ...(await wrongTokens('workspaceCallback', { nodeId, workspaceId })).map(([, token]) => ({
        headers: { authorization: `Bearer ${token}` },
      })),
    ];

    for (const request of wrong) {
      expect(await call(route, { body, ...request })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { jsonrpc: '2.0', id: null, error: { code: -32_000 } },
      });
    }
  });
});

/** What a route that checks a proof of its own answers to a caller without it. */
const withoutProof: Readonly<Record<string, { readonly request?: TestRequest; readonly reply: object }>> = {
  'auth/callback': {
    request: { params: { provider: 'github' }, query: { state: 'forged', code: 'forged' } },
    reply: { status: 302, headers: { location: '/?error=state_mismatch' } },
  },
  'auth/sign-out': { reply: { status: 200, body: { success: true } } },
  'auth/session': { reply: { status: 200, body: null } },
  'codehost/callback': { reply: { status: 302, headers: { location: '/' } } },
  'codehost/webhook': {
    request: { body: { zen: 'forged' }, headers: { 'x-github-event': 'ping' } },
    reply: { status: 401, body: { error: 'INVALID_SIGNATURE' } },
  },
  'callbacks/bootstrap': {
    request: { body: { nodeId: newId(), token: 'x'.repeat(43), redemptionId: '0'.repeat(32) } },
    reply: { status: 401, body: { error: 'INVALID_TOKEN' } },
  },
};

it.each(named(['own']))('%s gives nothing without its proof', async (_name, route) => {
  const expected = withoutProof[route.file];

  const reply = await call(route, expected?.request ?? {});

  expect(expected, `say in withoutProof what ${route.file} answers`).toBeDefined();
  expect(reply).toMatchObject(expected?.reply ?? {});
});

it.each(named(['public']))('%s says nothing more to a person than to anybody', async (_name, route) => {
  const anybody = await call(route, {});
  const person = await call(route, { cookies: [stranger.cookie] });

  expect(person.status).toBe(anybody.status);
  expect(anybody.status).not.toBe(500);
});
