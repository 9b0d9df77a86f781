import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { enterLimit } from '../../../lambdas/domain/rate-limits/enter-limit.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { NodeStub } from '../../integration/workspaces/node-stub.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { until } from '../../support/until.js';

// One person asks a node that does not answer, many times at once: each request holds a function.

const limit = rateLimits.NODE_READ;
const status = { staged: [], unstaged: [], untracked: [], truncated: false };
const flooding = 12;

let table: Table;
let calls: CallCount;
let node: NodeStub;
let gitStatus: Invoke;
let fileList: Invoke;
let me: SignedIn;
let params: Record<string, string>;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  gitStatus = await loadRoute('git/status');
  fileList = await loadRoute('files/list');
  calls = countCalls(table.client);
  node = await NodeStub.start();
});
afterAll(() => node[Symbol.asyncDispose]());

beforeEach(async () => {
  node.requests = [];
  node.onRequest = async () => ({ status: 200, body: status });
  me = await signIn(table);
  params = await aChat(me);
});

async function aChat({ userId }: SignedIn): Promise<Record<string, string>> {
  const project = aProject({ userId });
  const { projectId, createdAt: joinedAt } = project;
  await putItem(table, projectItem(project));
  await putItem(table, memberItem({ projectId, userId, role: 'owner', status: 'active', project, joinedAt }));
  const { workspace } = await placedWorkspace(
    table,
    {
      userId,
      projectId,
      status: 'running',
      nodeUrl: `https://127.0.0.1:${node.place.port}`,
      nodeCertificatePem: node.place.certificatePem,
    },
    node.place,
  );
  const { workspaceId } = workspace;
  const chat = newChat(
    { chatId: newId(), projectId, userId, workspaceId, topic: null, taskId: null },
    new Date(),
  );
  await putItem(table, chatItem(chat));
  return { projectId, sessionId: chat.chatId };
}

/** The node answers nobody until `release`. */
function silentNode(): { readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  node.onRequest = async () => {
    await promise;
    return { status: 200, body: status };
  };
  return { release: resolve };
}

const ask = (invoke = gitStatus) => invoke({ cookies: [me.cookie], params });

async function leasesNow(): Promise<readonly string[]> {
  const Key = rateWindowKey(limit, me.userId, windowStart(limit, new Date()));
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  return [...((Item?.leases as Set<string> | undefined) ?? [])];
}

async function putLeases(expiresAtMs: number): Promise<void> {
  const leases = new Set(
    Array.from({ length: limit.inFlight }, (_, index) => `${expiresAtMs}#dead-${index}`),
  );
  for (const start of [0, limit.windowSeconds]) {
    const key = rateWindowKey(limit, me.userId, windowStart(limit, new Date()) + start);
    await table.client.send(
      new PutCommand({ TableName: table.name, Item: { ...key, entity: 'rate-window', count: 4, leases } }),
    );
  }
}

describe('a person who asks a silent node many times at once', () => {
  it('holds four functions, and is refused at once for the rest', async () => {
    const { release } = silentNode();

    const asked = Array.from({ length: flooding }, () => ask());
    const refused: unknown[] = [];
    for (const each of asked) void each.then((reply) => reply.status === 429 && refused.push(reply));
    await until('the rest is refused', () => refused.length === flooding - limit.inFlight || undefined);
    await until('four reach the node', () => node.requests.length >= limit.inFlight || undefined);
    const reached = node.requests.length;
    release();
    const replies = await Promise.all(asked);

    expect(reached).toBe(limit.inFlight);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(limit.inFlight);
    expect(refused[0]).toMatchObject({
      body: { error: 'TOO_MANY_REQUESTS_IN_FLIGHT', message: expect.stringContaining('limit 4') },
      headers: { 'retry-after': '1' },
    });
  });

  it('has the same four for all routes that read a node', async () => {
    const { release } = silentNode();
    const held = Array.from({ length: limit.inFlight }, () => ask());
    await until('four are held', () => node.requests.length === limit.inFlight || undefined);

    const other = await ask(fileList);
    release();
    await Promise.all(held);

    expect(other).toMatchObject({ status: 429, body: { error: 'TOO_MANY_REQUESTS_IN_FLIGHT' } });
  });

  it('takes no slot of another person', async () => {
    const bystander = await signIn(table);
    const theirs = await aChat(bystander);
    const { release } = silentNode();
    const held = Array.from({ length: limit.inFlight }, () => ask());
    await until('four are held', () => node.requests.length === limit.inFlight || undefined);
    node.onRequest = async () => ({ status: 200, body: status });

    const reply = await gitStatus({ cookies: [bystander.cookie], params: theirs });
    release();
    await Promise.all(held);

    expect(reply.status).toBe(200);
  });
});

describe('a slot', () => {
  it('is given back when the request ends, however it ends', async () => {
    calls.reset();
    expect((await ask()).status).toBe(200);
    expect(calls.limits).toHaveLength(2);
    node.onRequest = async () => ({ status: 500, body: {} });
    expect((await ask()).status).toBe(503);
    node.onRequest = async () => ({ status: 404, body: { error: 'not_found' } });
    expect((await ask()).status).toBe(404);

    expect(await leasesNow()).toEqual([]);
  });

  it('of a function that died is free once its lease has expired', async () => {
    await putLeases(Date.now() - 1);

    const first = await ask();
    const second = await ask();

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await leasesNow()).toEqual([]);
  });

  it('of a function that died is taken until then', async () => {
    await putLeases(Date.now() + 15_000);

    expect(await ask()).toMatchObject({ status: 429, body: { error: 'TOO_MANY_REQUESTS_IN_FLIGHT' } });
  });

  it('is leased for the longest hold of the route, to one request', async () => {
    const now = new Date();
    const entering = { id: me.userId, leaseId: 'r-1', now, holdSeconds: 15 };
    const entry = await enterLimit(table, limit, entering);

    expect(await leasesNow()).toEqual([`${now.getTime() + 15_000}#r-1`]);
    await entry.leave();
    await entry.leave();
    expect(await leasesNow()).toEqual([]);
  });

  it('is not taken by more when many ask in the same moment', async () => {
    const entries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        enterLimit(table, limit, {
          id: me.userId,
          leaseId: `r-${index}`,
          now: new Date(),
          holdSeconds: 15,
        }),
      ),
    );

    expect(entries.filter((entry) => entry.status === 'fulfilled')).toHaveLength(limit.inFlight);
  });
});
