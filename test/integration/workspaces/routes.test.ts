import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { grantItem } from '../../../lambdas/domain/code-host/grant.js';
import { installationKey } from '../../../lambdas/domain/code-host/installation.js';
import { sealGrant } from '../../../lambdas/domain/code-host/open-user-token.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { SigningKeys } from '../../../lambdas/shared/signing-keys.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { CertificateAuthority, type ServerCertificate } from '../../../local/certificate-authority.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute, routeOf, type TestReply, type TestRequest } from '../../support/invoke.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { placedWorkspace } from './builders.js';
import { startCodeHost, userToken } from './code-host.js';

const files = [
  'workspaces/create',
  'workspaces/list',
  'workspaces/get',
  'workspaces/stop',
  'workspaces/delete',
  'workspaces/restart',
  'workspaces/rebuild',
  'workspaces/boot-log',
  'terminal/token',
  'nodes/list',
  'nodes/get',
  'nodes/stop',
  'nodes/delete',
  'callbacks/node-ready',
  'callbacks/node-heartbeat',
  'callbacks/workspace-ready',
  'callbacks/provisioning-failed',
  'callbacks/boot-log',
  'callbacks/renew-token',
] as const;
type File = (typeof files)[number];

const invokes = new Map<string, Invoke>();
let table: Table;
let keys: SigningKeys;
let calls: CallCount;
let codeHost: HttpServer;
let nodeServer: Server;
let certificate: ServerCertificate;
let nodeRequests: string[] = [];
let octo: SignedIn;

/** Calls a route, and holds it to its budget of table calls. */
async function call(file: File, request: TestRequest = {}, caller = octo): Promise<TestReply> {
  calls.reset();
  const invoke = invokes.get(file);
  if (!invoke) throw new Error(`${file} is not loaded`);
  const reply = await invoke({ cookies: [caller.cookie], ...request });
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget[routeOf(file).method]);
  return reply;
}

const arn = (saga: string) => `arn:aws:states:us-east-1:000000000000:stateMachine:${saga}`;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, cookies: [] });
const ofNode = async (nodeId: string, now = new Date()) =>
  bearer((await issueToken(keys, 'nodeCallback', { claims: { sub: nodeId }, now })).token);
const ofWorkspace = async ({ workspaceId, nodeId, generation }: Workspace, now = new Date()) => {
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  return bearer((await issueToken(keys, 'workspaceCallback', { claims, now })).token);
};

beforeAll(async () => {
  const started = await startCodeHost();
  codeHost = started.server;
  Object.assign(process.env, {
    DEPLOYMENT_ID: 'test',
    WORKSPACE_URL_TEMPLATE: 'http://ws-{workspaceId}.localhost:8787',
    CODE_HOST_API_URL: started.url,
    CODE_HOST_SECRET_ARN: 'unused',
    // None of these exists: a saga that cannot be started is the sweep's.
    PROVISION_WORKSPACE_ARN: arn('provision-workspace'),
    STOP_WORKSPACE_ARN: arn('stop-workspace'),
    DELETE_WORKSPACE_ARN: arn('delete-workspace'),
    REMOVE_NODE_ARN: arn('remove-node'),
  });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  ({ signingKeys: keys } = await import('../../../lambdas/shared/clients/signing-keys.js'));
  for (const file of files) invokes.set(file, await loadRoute(file));
  octo = await signIn(table);
  await grantOcto();
  await startNode();
  calls = countCalls(table.client);
});

afterAll(() => {
  codeHost.close();
  nodeServer.close();
});

async function grantOcto(): Promise<void> {
  const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
  const { userId } = octo;
  const grant = await sealGrant(
    secretBox,
    { userId, version: 1, now: new Date() },
    { accessToken: userToken, refreshToken: null, expiresIn: null },
  );
  const at = new Date().toISOString();
  const installation = {
    ...installationKey(userId, '1'),
    userId,
    installationId: '1',
    accountType: 'personal',
    accountName: 'octo',
    createdAt: at,
    updatedAt: at,
  };
  for (const Item of [grantItem(grant), installation]) {
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
}

async function startNode(): Promise<void> {
  const authority = await CertificateAuthority.open(mkdtempSync(join(tmpdir(), 'berth-ca-')));
  certificate = await authority.issue(['node']);
  nodeServer = createServer(
    { cert: certificate.certificatePem, key: certificate.keyPem },
    (request, response) => {
      nodeRequests.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, status: 'rebuilding' }));
    },
  );
  nodeServer.listen(0, '127.0.0.1');
  await once(nodeServer, 'listening');
}

function nodeUrl(): string {
  const address = nodeServer.address();
  if (address === null || typeof address === 'string') throw new Error('The node has no port');
  return `https://127.0.0.1:${address.port}`;
}

const port = () => Number(new URL(nodeUrl()).port);
const onNode = (overrides: Partial<Workspace> = {}) =>
  placedWorkspace(
    table,
    {
      userId: octo.userId,
      nodeUrl: nodeUrl(),
      nodeCertificatePem: certificate.certificatePem,
      readyAt: new Date().toISOString(),
      ...overrides,
    },
    { port: port(), certificatePem: certificate.certificatePem },
  );

const asked = { installationId: '1', repository: 'octo/hello' };

describe('creating a workspace', () => {
  it('answers with its row and address at once, though the saga cannot be started', async () => {
    const reply = await call('workspaces/create', { body: { ...asked, vmSize: 'large' } });

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'pending',
      displayName: 'hello',
      branch: 'trunk',
      version: 1,
    });
    expect(reply.headers.location).toMatch(/^\/api\/workspaces\/[0-9A-Z]{26}$/);
  });

  it('makes one workspace of a request that is repeated with its key', async () => {
    const request = { body: asked, headers: { 'idempotency-key': newId() } };

    const twins = await Promise.all(
      [invokes.get('workspaces/create'), invokes.get('workspaces/create')].map((invoke) =>
        invoke?.({ cookies: [octo.cookie], ...request }),
      ),
    );
    const again = await call('workspaces/create', request);
    const other = await call('workspaces/create', { ...request, body: { ...asked, displayName: 'other' } });

    const ids = [...twins, again].map((reply) => reply?.headers.location);
    expect(new Set(ids).size).toBe(1);
    expect(other).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it.each([
    ['a repository that the caller cannot see', { ...asked, repository: 'octo/secret' }, 404],
    ["somebody else's installation", { ...asked, installationId: '2' }, 404],
    ['an installation of another account', { ...asked, repository: 'mallory/hello' }, 400],
    ['no repository', { installationId: '1' }, 400],
    ['a project that is not there', { projectId: newId() }, 404],
    ['a branch that is none', { ...asked, branch: '--upload-pack=x' }, 400],
    ['requirements that are not finite', { ...asked, resourceRequirements: { minVcpu: -1 } }, 400],
    ['unknown fields', { ...asked, nodeId: newId() }, 400],
  ])('refuses %s', async (_, body, status) => {
    expect((await call('workspaces/create', { body })).status).toBe(status);
  });
});

describe('reading workspaces', () => {
  it('lists them newest first, a page at a time, and shows no secret', async () => {
    const caller = await signIn(table);
    const made = [];
    for (let index = 0; index < 3; index += 1) {
      made.push((await placedWorkspace(table, { userId: caller.userId })).workspace.workspaceId);
    }

    const first = await call('workspaces/list', { query: { limit: '2' } }, caller);
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await call('workspaces/list', { query: { limit: '2', cursor: nextCursor } }, caller);

    const ids = [first, second].flatMap(({ body }) =>
      (body as { workspaces: { id: string }[] }).workspaces.map(({ id }) => id),
    );
    expect(ids).toEqual(made.toReversed());
    expect(JSON.stringify(first.body)).not.toContain('token-of-create');
  });

  it('does not tell a stranger that there is one', async () => {
    const { workspace, node } = await onNode();
    const stranger = await signIn(table);
    const params = { workspaceId: workspace.workspaceId, nodeId: node.nodeId };

    for (const file of [
      'workspaces/get',
      'workspaces/stop',
      'workspaces/delete',
      'workspaces/boot-log',
    ] as const) {
      expect((await call(file, { params }, stranger)).status).toBe(404);
    }
    for (const file of ['nodes/get', 'nodes/stop', 'nodes/delete'] as const) {
      expect((await call(file, { params }, stranger)).status).toBe(404);
    }
  });
});

describe('a node, seen by its owner', () => {
  it('is shown with its health and the workspaces on it', async () => {
    const { workspace, node } = await onNode({ status: 'running' });

    const reply = await call('nodes/get', { params: { nodeId: node.nodeId } });
    const list = await call('nodes/list');

    expect(reply.body).toMatchObject({
      healthStatus: 'healthy',
      workspaces: [{ id: workspace.workspaceId }],
    });
    expect((list.body as { nodes: { id: string }[] }).nodes.map(({ id }) => id)).toContain(node.nodeId);
  });

  it('is neither stopped nor deleted under a workspace', async () => {
    const { workspace, node } = await onNode({ status: 'running' });
    const params = { nodeId: node.nodeId };

    expect(await call('nodes/stop', { params })).toMatchObject({ status: 409, body: { error: 'CONFLICT' } });
    expect(await call('nodes/delete', { params })).toMatchObject({
      status: 409,
      body: { details: [{ message: workspace.workspaceId }] },
    });
  });

  it('is not called gone before EC2 has said so', async () => {
    const { workspace, node } = await onNode({ status: 'running' });
    await call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });
    const params = { nodeId: node.nodeId };

    const first = await call('nodes/delete', { params });
    const second = await call('nodes/delete', { params });

    expect(first).toMatchObject({ status: 202, body: { deletionStatus: 'pending', nodeStatus: 'deleting' } });
    expect(second.status).toBe(202);
    expect((await findNode(table, node.nodeId))?.terminationConfirmedAt).toBeUndefined();
  });
});

describe('stopping and deleting', () => {
  it('stops a workspace once, and says so when repeated', async () => {
    const { workspace } = await onNode({ status: 'running' });
    const params = { workspaceId: workspace.workspaceId };

    expect(await call('workspaces/stop', { params })).toMatchObject({
      status: 200,
      body: { status: 'stopping' },
    });
    expect(await call('workspaces/stop', { params })).toMatchObject({
      status: 200,
      body: { status: 'stopping' },
    });
  });

  it('is started again as another life, once, when it is at rest', async () => {
    const { workspace } = await onNode({ status: 'stopped' });
    const { workspaceId } = workspace;
    const params = { workspaceId };

    const replies = await Promise.all([
      invokes.get('workspaces/restart')?.({ params, cookies: [octo.cookie] }),
      invokes.get('workspaces/restart')?.({ params, cookies: [octo.cookie] }),
    ]);

    expect(replies.map((reply) => reply?.status).sort()).toEqual([202, 409]);
    const row = await findWorkspace(table, workspaceId);
    expect(row).toMatchObject({ status: 'pending', generation: 2, remake: 'restart', errorMessage: null });
    expect(row?.formerNodeId).toBe(workspace.nodeId);
  });

  it.each(['restart', 'rebuild'] as const)('refuses a %s that its state does not allow', async (what) => {
    const status = what === 'restart' ? 'running' : 'stopped';
    const { workspace } = await onNode({ status });
    const params = { workspaceId: workspace.workspaceId };

    expect(await call(`workspaces/${what}`, { params })).toMatchObject({
      status: 409,
      body: { error: 'CONFLICT' },
    });
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({ status, generation: 1 });
  });

  it('is not started again once its deletion has begun', async () => {
    const deletion = { attempt: 1, claimedAt: new Date().toISOString() };
    const { workspace } = await onNode({ status: 'errored', deletion });
    const params = { workspaceId: workspace.workspaceId };

    expect((await call('workspaces/restart', { params })).status).toBe(409);
    expect((await call('workspaces/rebuild', { params })).status).toBe(409);
  });

  it('is rebuilt by its node, whose word ends it', async () => {
    const { workspace } = await onNode({ status: 'running' });
    const { workspaceId } = workspace;
    nodeRequests = [];

    const reply = await call('workspaces/rebuild', { params: { workspaceId } });

    expect(reply).toMatchObject({ status: 202, body: { status: 'rebuilding' } });
    expect(nodeRequests).toEqual([`POST /workspaces/${workspaceId}/rebuild`]);
    expect((await findWorkspace(table, workspaceId))?.status).toBe('rebuilding');
    expect((await call('workspaces/rebuild', { params: { workspaceId } })).status).toBe(409);
    await call('callbacks/workspace-ready', {
      ...(await ofWorkspace(workspace)),
      params: { workspaceId },
      body: { generation: 1, status: 'recovering' },
    });
    expect((await findWorkspace(table, workspaceId))?.status).toBe('recovering');
  });

  it('is as it was when its node does not answer a rebuild', async () => {
    const { workspace } = await onNode({ status: 'recovering', nodeUrl: 'https://127.0.0.1:1' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await call('workspaces/rebuild', { params })).status).toBe(503);
    expect((await findWorkspace(table, workspace.workspaceId))?.status).toBe('recovering');
  });

  it('gets a place first when it is rebuilt after a failure', async () => {
    const { workspace } = await onNode({ status: 'errored', errorMessage: 'x' });
    const params = { workspaceId: workspace.workspaceId };

    expect((await call('workspaces/rebuild', { params })).status).toBe(202);
    expect(await findWorkspace(table, workspace.workspaceId)).toMatchObject({
      status: 'pending',
      remake: 'rebuild',
    });
  });

  it('deletes at once what its node says is gone, and confirms a repeat', async () => {
    const { workspace, node } = await onNode({ status: 'running' });
    const params = { workspaceId: workspace.workspaceId };
    nodeRequests = [];

    const first = await call('workspaces/delete', { params });
    const again = await call('workspaces/delete', { params });

    expect(nodeRequests).toEqual([`DELETE /workspaces/${workspace.workspaceId}`]);
    expect(first).toMatchObject({ status: 200, body: { success: true, deletionStatus: 'confirmed' } });
    expect(again.status).toBe(200);
    expect((await call('workspaces/get', { params })).status).toBe(404);
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
  });

  it('claims nothing when the node is silent', async () => {
    const { workspace } = await onNode({ status: 'running', nodeUrl: 'https://127.0.0.1:1' });

    const reply = await call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply).toMatchObject({
      status: 202,
      body: {
        deletionStatus: 'pending',
        workspaceStatus: 'stopping',
        reason: 'runtime_deletion_unconfirmed',
      },
    });
  });

  it('trusts no other certificate at the address of the node', async () => {
    const other = await (await CertificateAuthority.open(mkdtempSync(join(tmpdir(), 'berth-ca-')))).issue([
      'x',
    ]);
    const { workspace } = await onNode({ status: 'running', nodeCertificatePem: other.certificatePem });
    nodeRequests = [];

    const reply = await call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(202);
    expect(nodeRequests).toEqual([]);
  });

  it.each([
    ['workspace_missing', async (Key: object) => removeRow(Key)],
    ['workspace_assignment_changed', async (_: object, id: string) => changeRow(id, { nodeId: newId() })],
    ['workspace_active', async (_: object, id: string) => changeRow(id, { generation: 2 })],
  ])('is rejected as %s when that comes between the look at it and the claim', async (reason, change) => {
    const { workspace } = await onNode({ status: 'stopped' });
    const { workspaceId } = workspace;
    nodeRequests = [];
    afterNextRead(workspaceId, () => change(workspaceKey(workspaceId), workspaceId));

    const reply = await call('workspaces/delete', { params: { workspaceId } });

    expect(reply).toMatchObject({
      status: 409,
      body: { success: false, deletionStatus: 'rejected', workspaceStatus: 'unchanged', reason },
    });
    expect(nodeRequests).toEqual([]);
    expect((await findWorkspace(table, workspaceId))?.deletion).toBeUndefined();
  });

  const removeRow = (Key: object) =>
    table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...Key } }));
  const changeRow = (workspaceId: string, set: Partial<Workspace>) =>
    changeWorkspace(table, { workspaceId, set, now: new Date() });

  /** Lets something happen right after the next read of this workspace, before its reader goes on. */
  function afterNextRead(workspaceId: string, happen: () => Promise<unknown>): void {
    const name = `afterNextRead-${workspaceId}`;
    table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          if (commandName !== 'GetItemCommand' || !JSON.stringify(args.input).includes(workspaceId)) {
            return result;
          }
          table.client.middlewareStack.remove(name);
          await happen();
          // What that has sent is not the route's.
          calls.reset();
          return result;
        },
      { step: 'initialize', name },
    );
  }

  it('does not believe a node to which the workspace may still be on its way', async () => {
    const { workspace } = await onNode({ readyAt: null });
    nodeRequests = [];

    const reply = await call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(202);
    expect(nodeRequests).toEqual([]);
  });
});

describe('a terminal token', () => {
  it('names the workspace, its node and where they are', async () => {
    const { workspace } = await onNode({ status: 'running' });

    const reply = await call('terminal/token', { body: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      workspaceUrl: `http://ws-${workspace.workspaceId.toLowerCase()}.localhost:8787`,
      expiresAt: expect.toSatisfy((at: number) => at > Date.now() + 3_500_000 && at < Date.now() + 3_700_000),
    });
  });

  it('is refused while there is nothing to open', async () => {
    const { workspace } = await onNode();

    expect(await call('terminal/token', { body: { workspaceId: workspace.workspaceId } })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('provisioning') },
    });
  });
});

describe('callbacks of a node', () => {
  const heartbeat = { agentVersion: '1', activeWorkspaces: 1 };

  it('beats with one write, and gets a new token after half of its life', async () => {
    const { node } = await onNode();
    const params = { nodeId: node.nodeId };
    const halfADayAgo = new Date(Date.now() - 12.5 * 3_600_000);

    const young = await call('callbacks/node-heartbeat', {
      ...(await ofNode(node.nodeId)),
      params,
      body: heartbeat,
    });
    expect(calls.names).toEqual(['UpdateItemCommand']);
    const old = await call('callbacks/node-heartbeat', {
      ...(await ofNode(node.nodeId, halfADayAgo)),
      params,
      body: heartbeat,
    });

    expect(young.body).toEqual({
      status: 'running',
      lastHeartbeatAt: expect.any(String),
      healthStatus: 'healthy',
    });
    expect(old.body).toMatchObject({ refreshedToken: expect.stringMatching(/^eyJ/) });
  });

  it('reports ready, and ready again, and late', async () => {
    const { workspace } = await onNode();
    const { workspaceId } = workspace;
    const request = {
      ...(await ofWorkspace(workspace)),
      params: { workspaceId },
      body: { generation: 1, status: 'running' },
    };

    const first = await call('callbacks/workspace-ready', request);
    const again = await call('callbacks/workspace-ready', request);
    await call('workspaces/stop', { params: { workspaceId } });
    const late = await call('callbacks/workspace-ready', request);

    expect([first.body, again.body]).toEqual([{ success: true }, { success: true }]);
    expect(late.body).toEqual({ success: false, reason: 'workspace_not_provisioning' });
    expect((await findWorkspace(table, workspaceId))?.status).toBe('stopping');
  });

  it('believes a node that brings a workspace back, and one that cannot', async () => {
    const { workspace, node } = await onNode();
    const { workspaceId } = workspace;
    const token = await ofWorkspace(workspace);
    const params = { workspaceId };
    const ready = (status: string) =>
      call('callbacks/workspace-ready', { ...token, params, body: { generation: 1, status } });
    const fail = () => {
      const body = { generation: 1, errorMessage: 'The files of the workspace are gone' };
      return call('callbacks/provisioning-failed', { ...token, params, body });
    };
    const now = async () => (await findWorkspace(table, workspaceId))?.status;
    await ready('running');

    expect((await ready('running')).body).toEqual({ success: true });
    expect((await ready('recovering')).body).toEqual({ success: true });
    expect(await now()).toBe('recovering');
    expect((await ready('running')).body).toEqual({ success: true });
    expect(await now()).toBe('running');

    expect((await fail()).body).toEqual({ success: true });
    expect(await findWorkspace(table, workspaceId)).toMatchObject({
      status: 'errored',
      errorMessage: 'The workspace ended on its node: The files of the workspace are gone',
    });
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
    expect((await fail()).body).toMatchObject({ success: false });
    expect((await ready('running')).body).toMatchObject({ success: false });
    expect(await now()).toBe('errored');
  });

  it('of an earlier life has no effect', async () => {
    const { workspace } = await onNode();
    const { workspaceId } = workspace;
    const token = await ofWorkspace(workspace);
    await changeWorkspace(table, { workspaceId, set: { generation: 2 }, now: new Date() });
    const params = { workspaceId };
    const entry = { step: 'git_clone', status: 'started', message: '', timestamp: new Date().toISOString() };

    const replies = [
      await call('callbacks/workspace-ready', {
        ...token,
        params,
        body: { generation: 1, status: 'running' },
      }),
      await call('callbacks/provisioning-failed', {
        ...token,
        params,
        body: { generation: 1, errorMessage: 'x' },
      }),
      await call('callbacks/boot-log', {
        ...token,
        params,
        body: { generation: 1, entryId: newId(), entry },
      }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([410, 410, 410]);
    expect((await findWorkspace(table, workspaceId))?.status).toBe('provisioning');
  });

  it('writes each entry of the boot log once, in order', async () => {
    const { workspace } = await onNode();
    const params = { workspaceId: workspace.workspaceId };
    const token = await ofWorkspace(workspace);
    const write = (entryId: string, step: string) => {
      const entry = { step, status: 'started', message: 'm', timestamp: new Date().toISOString() };
      return call('callbacks/boot-log', { ...token, params, body: { generation: 1, entryId, entry } });
    };
    const [one, two] = [newId(), newId()];
    await write(one, 'git_clone');
    await write(one, 'git_clone');
    await write(two, 'container_up');
    // Agent sessions lie between the entries and the row.
    const Item = { ...agentSessionKey(workspace.workspaceId, newId()), entity: 'agent-session' };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));

    const reply = await call('workspaces/boot-log', { params });

    expect((reply.body as { logs: { entryId: string }[] }).logs.map(({ entryId }) => entryId)).toEqual([
      one,
      two,
    ]);
  });

  it('renews a workspace token only with the token of its node, and when due', async () => {
    const { workspace, node } = await onNode();
    const other = newId();
    const tokenOf = async (nodeId: string) =>
      (await issueToken(keys, 'nodeCallback', { claims: { sub: nodeId }, now: new Date() })).token;
    const renew = async (nodeToken: string, issuedAt: Date) =>
      call('callbacks/renew-token', {
        ...(await ofWorkspace(workspace, issuedAt)),
        params: { workspaceId: workspace.workspaceId },
        body: { nodeId: node.nodeId, nodeToken },
      });
    const halfADayAgo = new Date(Date.now() - 12.5 * 3_600_000);

    expect((await renew(await tokenOf(node.nodeId), new Date())).body).toEqual({ renewed: false });
    expect((await renew(await tokenOf(node.nodeId), halfADayAgo)).body).toMatchObject({ renewed: true });
    expect((await renew(await tokenOf(other), halfADayAgo)).status).toBe(403);
    expect((await renew('not.a.token', halfADayAgo)).status).toBe(401);
  });

  it('reports a node ready', async () => {
    const { node } = await onNode();
    const body = { agentVersion: '2', role: 'standalone', port: 4443 };

    const reply = await call('callbacks/node-ready', {
      ...(await ofNode(node.nodeId)),
      params: { nodeId: node.nodeId },
      body,
    });

    expect(reply).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(await findNode(table, node.nodeId)).toMatchObject({ port: 4443, agentVersion: '2' });
  });

  it('is refused as ready when it speaks a version that the control plane does not', async () => {
    const { node } = await onNode();

    const reply = await call('callbacks/node-ready', {
      ...(await ofNode(node.nodeId)),
      params: { nodeId: node.nodeId },
      body: { agentVersion: '9', role: 'workspace', port: 4443, protocolVersion: 99 },
    });

    expect(reply).toMatchObject({ status: 400, body: { details: [{ field: 'body.protocolVersion' }] } });
    expect(await findNode(table, node.nodeId)).toMatchObject({ agentVersion: node.agentVersion });
  });
});
