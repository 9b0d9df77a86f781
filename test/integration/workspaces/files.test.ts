import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { fileContentPolicy } from '../../../protocol/workspace-files.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestReply, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { NodeStub } from './node-stub.js';

const reading = [
  'files/list',
  'files/find',
  'files/view',
  'files/raw',
  'files/download',
  'git/status',
  'git/diff',
];
const files = [...reading, 'files/upload', 'files/upload-address'];
const mebibyte = 1024 ** 2;
const carriedBytes = 4 * mebibyte;

const invokes = new Map<string, Invoke>();
let table: Table;
let calls: CallCount;
let node: NodeStub;
let me: SignedIn;
let project: ReturnType<typeof aProject>;
let workspace: Workspace;
let chatId: string;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  for (const file of files) invokes.set(file, await loadRoute(file));
  calls = countCalls(table.client);
  node = await NodeStub.start();
});
afterAll(() => node[Symbol.asyncDispose]());

beforeEach(async () => {
  node.requests = [];
  node.onRequest = async () => undefined;
  me = await signIn(table);
  project = aProject({ userId: me.userId });
  await putItem(table, projectItem(project));
  await join(me, 'owner');
  workspace = await placed();
  chatId = await chatAbout(workspace.workspaceId);
});

async function join({ userId }: SignedIn, role: 'owner' | 'maintainer') {
  const { projectId, createdAt: joinedAt } = project;
  await putItem(table, memberItem({ projectId, userId, role, status: 'active', project, joinedAt }));
}

async function placed(overrides: Partial<Workspace> = {}) {
  const { certificatePem, port } = node.place;
  const placing = await placedWorkspace(
    table,
    {
      userId: me.userId,
      projectId: project.projectId,
      status: 'running',
      nodeUrl: `https://127.0.0.1:${port}`,
      nodeCertificatePem: certificatePem,
      ...overrides,
    },
    node.place,
  );
  return placing.workspace;
}

async function chatAbout(workspaceId: string | null) {
  const chat = newChat(
    {
      chatId: newId(),
      projectId: project.projectId,
      userId: me.userId,
      workspaceId,
      topic: null,
      taskId: null,
    },
    new Date(),
  );
  await putItem(table, chatItem(chat));
  return chat.chatId;
}

async function call(file: string, request: TestRequest = {}, most?: number): Promise<TestReply> {
  calls.reset();
  const params = { projectId: project.projectId, sessionId: chatId };
  const reply = await invokes.get(file)?.({ cookies: [me.cookie], params, ...request });
  if (!reply) throw new Error(`${file} is not loaded`);
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(
    most ?? callBudget[routeOf(file).method],
  );
  return reply;
}

const answer = (body: unknown, headers: Record<string, string | number> = {}, status = 200) => {
  node.onRequest = async () => ({ status, body, headers });
};
const bytes = (content: Buffer, headers: Record<string, string | number> = {}, status = 200) =>
  answer(content, { 'content-type': 'text/plain', 'content-length': content.length, ...headers }, status);
const listing = { path: '.', entries: [], truncated: false };
const inWorkspace = (path: string) => `GET /workspaces/${workspace.workspaceId}/${path}`;

const form = (content: Buffer | string) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=cut' },
  body: Buffer.from(
    `--cut\r\ncontent-disposition: form-data; name="files"; filename="a.bin"\r\n\r\n${content.toString('latin1')}\r\n--cut--\r\n`,
    'latin1',
  ),
});

describe('access to files', () => {
  it.each(files)('is limited to the owner of the workspace: %s', async (file) => {
    const query = { path: 'a' };
    const request =
      file === 'files/upload'
        ? form('a')
        : file.endsWith('address') || /find|status/.test(file)
          ? {}
          : { query };
    const other = await signIn(table);
    const asOther = { ...request, cookies: [other.cookie] };

    expect(await call(file, asOther)).toMatchObject({ status: 404, body: { message: 'Project not found' } });
    await join(other, 'maintainer');
    expect(await call(file, asOther)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
    expect(node.seen).toEqual([]);
  });

  it('uses a node token for this workspace that is valid for minutes', async () => {
    answer(listing);

    await call('files/list');

    const claims = decodeJwt(node.requests[0]?.authorization.replace('Bearer ', '') ?? '');
    expect(claims).toMatchObject({
      aud: 'node-management',
      workspace: workspace.workspaceId,
      node: workspace.nodeId,
      sub: me.userId,
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeLessThanOrEqual(300);
  });
});

describe('the workspace of the session', () => {
  it('is not found when it does not exist', async () => {
    chatId = await chatAbout(null);
    expect((await call('files/list')).status).toBe(404);
    chatId = await chatAbout(newId());
    expect((await call('files/list')).status).toBe(404);
  });

  it.each(['pending', 'provisioning', 'stopping', 'stopped', 'sleeping', 'errored', 'rebuilding'] as const)(
    'must be running: %s',
    async (status) => {
      chatId = await chatAbout((await placed({ status })).workspaceId);

      expect(await call('git/status')).toMatchObject({
        status: 400,
        body: {
          error: 'WORKSPACE_NOT_RUNNING',
          details: [{ field: 'path.sessionId', message: `Workspace of the session is ${status}.` }],
        },
      });
    },
  );

  it('must be restored: a file written during the restore could be lost', async () => {
    const claimedAt = new Date().toISOString();
    const wake = { operationId: newId(), claimedAt, attempt: 1, phase: 'restoring' } as const;
    chatId = await chatAbout((await placed({ wake })).workspaceId);

    for (const file of ['files/list', 'git/status', 'files/upload-address'])
      expect(await call(file), file).toMatchObject({
        status: 400,
        body: {
          error: 'WORKSPACE_NOT_RUNNING',
          details: [{ field: 'path.sessionId', message: 'The workspace is being restored.' }],
        },
      });
    expect(node.seen).toEqual([]);
  });

  it('can be recovering', async () => {
    chatId = await chatAbout((await placed({ status: 'recovering' })).workspaceId);
    answer(listing);

    expect((await call('files/list')).status).toBe(200);
  });

  it('is found at the new address of its node, with one more table call', async () => {
    workspace = await placed({ nodeUrl: 'https://127.0.0.1:1' });
    chatId = await chatAbout(workspace.workspaceId);
    answer(listing);

    expect((await call('files/list', {}, 3)).status).toBe(200);
  });

  it('is unavailable when its node does not answer', async () => {
    node.onRequest = async () => ({ status: 500, body: {} });

    expect(await call('files/list')).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    expect(node.requests).toHaveLength(1);
  });
});

describe('a request for files', () => {
  it.each([
    ['files/list', {}, 'files/list', listing],
    ['files/list', { path: 'src\\edge' }, 'files/list?path=src%2Fedge', listing],
    ['files/find', {}, 'files/find', { files: ['a'], truncated: false }],
    ['git/status', {}, 'git/status', { staged: [], unstaged: [], untracked: [], truncated: false }],
    ['git/diff', {}, 'git/diff?staged=false', { filePath: null, diff: '', truncated: false }],
    [
      'git/diff',
      { path: 'a', staged: '1' },
      'git/diff?path=a&staged=1',
      { filePath: 'a', diff: '+a', truncated: false },
    ],
  ])('reaches the node, and its answer the caller: %s %j', async (file, query, path, body) => {
    answer(body);

    const reply = await call(file, { query });

    expect(reply).toMatchObject({ status: 200, body, headers: { 'cache-control': 'no-store' } });
    expect(node.seen).toEqual([inWorkspace(path)]);
  });

  it.each(['files/list', 'files/view', 'files/raw', 'files/download', 'git/diff'])(
    'is refused when its path leaves the workspace: %s',
    async (file) => {
      for (const path of ['', '/etc/passwd', 'a/../../b', './a', 'a//b', 'a\\..\\b', 'a\nb']) {
        const reply = await call(file, { query: { path } });
        expect(reply, path).toMatchObject({ status: 400, body: { details: [{ field: 'query.path' }] } });
      }
      expect(node.seen).toEqual([]);
    },
  );

  it.each([
    ['not_found', 404, 404, 'NOT_FOUND'],
    ['forbidden', 403, 403, 'FORBIDDEN'],
    ['invalid_request', 400, 400, 'BAD_REQUEST'],
    ['payload_too_large', 413, 413, 'PAYLOAD_TOO_LARGE'],
    ['invalid_transition', 409, 400, 'WORKSPACE_NOT_RUNNING'],
    ['timed_out', 504, 503, 'SERVICE_UNAVAILABLE'],
    ['something_new', 422, 503, 'SERVICE_UNAVAILABLE'],
  ])('is answered in words of ours where the node says %s', async (error, status, expected, code) => {
    node.onRequest = async () => ({ status, body: { error, message: 'secret of the node' } });

    for (const file of ['files/list', 'files/raw', 'files/view']) {
      const reply = await call(file, file === 'files/list' ? {} : { query: { path: 'a' } });
      expect(reply, file).toMatchObject({ status: expected, body: { error: code } });
      expect(JSON.stringify(reply.body)).not.toContain('secret');
    }
  });

  it('gets at most 2 MiB of JSON', async () => {
    const diffOf = (length: number) => ({ filePath: null, diff: 'x'.repeat(length), truncated: false });
    const frame = JSON.stringify(diffOf(0)).length;
    answer(diffOf(2 * mebibyte - frame));
    expect((await call('git/diff')).status).toBe(200);
    answer(diffOf(2 * mebibyte - frame + 1));

    expect(await call('git/diff')).toMatchObject({ status: 413, body: { error: 'PAYLOAD_TOO_LARGE' } });
  });
});

describe('viewing a file', () => {
  it('shows its text', async () => {
    bytes(Buffer.from('héllo\n'));

    expect(await call('files/view', { query: { path: 'a/b.txt' } })).toMatchObject({
      status: 200,
      body: { filePath: 'a/b.txt', content: 'héllo\n' },
    });
    expect(node.seen).toEqual([inWorkspace('files/raw?path=a%2Fb.txt')]);
  });

  it.each([
    ['with NUL', Buffer.from('a\u0000b')],
    ['of another encoding', Buffer.from([0x66, 0xfc, 0x72])],
  ])('refuses what is no text: %s', async (_, content) => {
    bytes(content);

    expect(await call('files/view', { query: { path: 'a' } })).toMatchObject({
      status: 400,
      body: { error: 'NOT_A_TEXT_FILE', details: [{ field: 'query.path' }] },
    });
  });

  it('accepts at most 1 MiB', async () => {
    bytes(Buffer.alloc(mebibyte, 'a'));
    expect((await call('files/view', { query: { path: 'a' } })).status).toBe(200);
    bytes(Buffer.alloc(mebibyte + 1, 'a'));

    expect(await call('files/view', { query: { path: 'a' } })).toMatchObject({ status: 413 });
  });
});

describe('the bytes of a file', () => {
  const query = { path: 'a.svg' };
  const content = Buffer.from([0, 255, 254, 13, 10, 128]);

  it.each(['files/raw', 'files/download'])(
    'are returned unchanged, with headers that prevent execution: %s',
    async (file) => {
      const headers = {
        'content-type': 'image/svg+xml',
        'content-disposition': 'attachment; filename="a.svg"',
        'cache-control': 'private, no-cache',
        etag: '"1-6-7"',
        'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT',
      };
      bytes(content, { ...headers, 'set-cookie': 'a=b', 'content-security-policy': 'none of ours' });

      const reply = await call(file, { query });

      expect(reply).toMatchObject({ status: 200, body: content, headers });
      expect(reply.headers).toMatchObject({
        'content-security-policy': fileContentPolicy,
        'x-content-type-options': 'nosniff',
      });
      expect(fileContentPolicy).toMatch(/sandbox.*default-src 'none'.*style-src 'unsafe-inline'/);
      expect(reply.headers).not.toHaveProperty('set-cookie');
    },
  );

  it('are not sent again when the caller has them (304)', async () => {
    answer(Buffer.alloc(0), { etag: '"1-6-7"' }, 304);

    const reply = await call('files/raw', { query, headers: { 'if-none-match': '"1-6-7"' } });

    expect(reply).toMatchObject({ status: 304, headers: { etag: '"1-6-7"' } });
    expect(reply.body).toBeUndefined();
    expect(node.requests[0]?.headers).toMatchObject({ 'if-none-match': '"1-6-7"' });
  });

  it('can be requested as a range', async () => {
    bytes(content, { 'content-range': 'bytes 0-5/50000000' }, 206);
    const headers = { range: 'bytes=0-5', 'if-range': '"1-6-7"' };

    const reply = await call('files/raw', { query, headers });

    expect(reply).toMatchObject({
      status: 206,
      body: content,
      headers: { 'content-range': 'bytes 0-5/50000000' },
    });
    expect(node.requests[0]?.headers).toMatchObject(headers);
    bytes(Buffer.alloc(0), { 'content-range': 'bytes */6' }, 416);
    expect(await call('files/raw', { query, headers: { range: 'bytes=9-' } })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */6' },
    });
  });

  it.each(['raw', 'download'])(
    'are returned up to 4 MiB, and redirected to the node above: %s',
    async (transfer) => {
      bytes(Buffer.alloc(carriedBytes, 7));
      expect((await call(`files/${transfer}`, { query })).body).toHaveLength(carriedBytes);
      bytes(Buffer.alloc(carriedBytes + 1, 7));

      const { status, headers, body } = await call(`files/${transfer}`, { query });

      expect([status, body, headers['cache-control']]).toEqual([307, undefined, 'no-store']);
      const { origin, pathname, searchParams } = new URL(headers.location ?? '');
      const { workspaceId, nodeId, generation } = workspace;
      expect(origin).toBe(`http://ws-${workspaceId.toLowerCase()}.localhost:8787`);
      expect(pathname).toBe(`/workspaces/${workspaceId}/files/${transfer}`);
      expect(searchParams.get('path')).toBe('a.svg');
      const claims = decodeJwt(searchParams.get('token') ?? '');
      expect(claims).toMatchObject({
        aud: 'workspace-transfer',
        ...{ sub: me.userId, session: me.sessionHash, workspace: workspaceId, node: nodeId, generation },
        ...{ transfer, path: 'a.svg' },
      });
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60);
    },
  );

  it('of a folder, whose length is unknown, are redirected to the node', async () => {
    answer(Buffer.from('tar'), { 'content-type': 'application/gzip' });

    expect((await call('files/download', { query })).status).toBe(307);
  });
});

describe('uploading files', () => {
  const uploaded = { files: [{ name: 'a.bin', path: './a.bin', size: 3 }] };

  it('passes the form to the node unchanged', async () => {
    answer(uploaded);
    const sent = form(Buffer.from([0, 255, 128]));

    expect(await call('files/upload', sent)).toMatchObject({ status: 200, body: uploaded });
    expect(node.seen).toEqual([`POST /workspaces/${workspace.workspaceId}/files/upload`]);
    expect(node.requests[0]?.content).toEqual(sent.body);
    expect(node.requests[0]?.headers['content-type']).toBe(sent.headers['content-type']);
  });

  it('accepts at most 4 MiB', async () => {
    answer(uploaded);
    const frame = form('').body.length;
    expect((await call('files/upload', form(Buffer.alloc(carriedBytes - frame, 97)))).status).toBe(200);

    expect(await call('files/upload', form(Buffer.alloc(carriedBytes - frame + 1, 97)))).toMatchObject({
      status: 413,
      body: { error: 'PAYLOAD_TOO_LARGE' },
    });
    expect(node.requests).toHaveLength(1);
  });

  it('reports a full disk', async () => {
    node.onRequest = async () => ({ status: 507, body: { error: 'insufficient_storage' } });

    expect(await call('files/upload', form('a'))).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('disk') },
    });
  });

  it('names the form when the node refuses it', async () => {
    node.onRequest = async () => ({ status: 400, body: { error: 'invalid_request' } });

    expect(await call('files/upload', form('a'))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body' }] },
    });
  });

  it('accepts only a form', async () => {
    expect(await call('files/upload', { body: {} })).toMatchObject({ status: 415 });
    expect(await call('files/upload')).toMatchObject({ status: 400, body: { details: [{ field: 'body' }] } });
    expect(node.seen).toEqual([]);
  });

  it('returns an upload address for larger files', async () => {
    const { status, body } = await call('files/upload-address');

    expect(status).toBe(200);
    const { url, expiresAt } = body as { url: string; expiresAt: number }; // What the contract holds.
    expect(new URL(url).pathname).toBe(`/workspaces/${workspace.workspaceId}/files/upload`);
    const claims = decodeJwt(new URL(url).searchParams.get('token') ?? '');
    expect(claims).toMatchObject({ aud: 'workspace-transfer', transfer: 'upload', exp: expiresAt / 1000 });
    expect(claims).not.toHaveProperty('path');
  });
});
