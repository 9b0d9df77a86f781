import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { McpServer } from '../../../protocol/agent-sessions.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestRequest } from '../../support/invoke.js';
import { BellQueues } from '../../support/queues.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { placedWorkspace } from '../workspaces/builders.js';
import { NodeStub } from '../workspaces/node-stub.js';
import { aProject, putItem } from './a-project.js';

const files = [
  ...['list', 'create', 'get', 'messages', 'tool-content', 'state'].map((name) => `chats/${name}`),
  ...['prompt', 'cancel', 'stop', 'deliveries'].map((name) => `chats/${name}`),
  ...['create', 'list', 'stop'].map((name) => `agent-sessions/${name}`),
  'callbacks/messages',
  'callbacks/agent-activity',
  'mcp/call',
];

const McpServers = z.object({ mcpServers: z.tuple([McpServer]) });

const invokes = new Map<string, Invoke>();
let table: Table;
let calls: CallCount;
let bells: BellQueues;
let node: NodeStub;
let me: SignedIn;
let project: ReturnType<typeof aProject>;
let workspace: Workspace;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  bells = await BellQueues.create();
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  for (const file of files) invokes.set(file, await loadRoute(file));
  calls = countCalls(table.client);
  node = await NodeStub.start();
});

afterAll(() => node[Symbol.asyncDispose]());

beforeEach(async () => {
  node.requests = [];
  node.onRequest = async ({ path, body }) =>
    path.includes('/agent-sessions')
      ? { status: 201, body: nodeSession(String(body.sessionId ?? '')) }
      : undefined;
  me = await signIn(table);
  project = aProject({ userId: me.userId });
  await putItem(table, projectItem(project));
  await join(me, 'owner');
  ({ workspace } = await placedWorkspace(
    table,
    { userId: me.userId, projectId: project.projectId, status: 'running' },
    node.place,
  ));
});

async function join({ userId }: SignedIn, role: 'owner' | 'viewer') {
  const { projectId, createdAt: joinedAt } = project;
  await putItem(table, memberItem({ projectId, userId, role, status: 'active', project, joinedAt }));
}

const nodeSession = (id: string) => ({
  id,
  workspaceId: workspace.workspaceId,
  status: 'running',
  hostStatus: 'idle',
  viewerCount: 0,
  label: null,
  agentType: null,
  acpSessionId: null,
  lastPrompt: null,
  errorMessage: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  stoppedAt: null,
  suspendedAt: null,
});

/** What replies of these routes may hold. */
interface Told {
  readonly id: string;
  readonly chatSessionId: string;
  readonly messages: readonly { readonly content: string; readonly sequence: number }[];
  readonly sessions: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
  readonly state: object;
}

async function call(file: string, request: TestRequest) {
  calls.reset();
  const reply = await invokes.get(file)?.(request);
  if (!reply) throw new Error(`${file} is not loaded`);
  const most = routeOf(file).method === 'GET' ? callBudget.GET : callBudget.POST;
  expect(calls.names.length, `${file}: ${calls.names.join()}`).toBeLessThanOrEqual(most);
  return { ...reply, body: reply.body as Told }; // Whether it is there is what is tested.
}

const as = ({ cookie }: SignedIn, more: TestRequest = {}): TestRequest => ({ cookies: [cookie], ...more });
const here = (more: Record<string, string> = {}) => ({ params: { projectId: project.projectId, ...more } });

async function bearer({ workspaceId, nodeId, generation }: Workspace = workspace) {
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  return { headers: { authorization: `Bearer ${token}` } };
}

async function agentSession(more: object = {}) {
  const params = { workspaceId: workspace.workspaceId };
  const made = await call('agent-sessions/create', as(me, { params, body: { label: 'fix it', ...more } }));
  expect(made.status).toBe(201);
  return { sessionId: String(made.body.chatSessionId), agentSessionId: String(made.body.id) };
}

const said = (
  sessionId: string,
  sequence: number,
  more: Partial<ConversationMessage> = {},
): ConversationMessage => ({
  messageId: `m-${sequence}`,
  sessionId,
  role: 'assistant',
  content: `piece ${sequence} `,
  timestamp: '2026-11-21T10:00:00.000Z',
  sequence,
  ...more,
});

async function tell(
  messages: readonly ConversationMessage[],
  more: { generation?: number; as?: Workspace } = {},
) {
  const { generation = 1, as: teller = workspace } = more;
  const { workspaceId } = teller;
  return call('callbacks/messages', {
    params: { workspaceId },
    ...(await bearer(teller)),
    body: { generation, messages },
  });
}

async function contents(sessionId: string, query: Record<string, string> = {}) {
  const page = await call('chats/messages', as(me, { ...here({ sessionId }), query }));
  expect(page.status).toBe(200);
  return page.body.messages.map(({ content }) => content.trim());
}

describe('an agent session', () => {
  it('is made on the node, has a chat of its own in a project, and is stopped there', async () => {
    const { sessionId, agentSessionId } = await agentSession({ agentType: 'claude-code' });
    const params = { workspaceId: workspace.workspaceId };

    const [made] = node.requests;
    expect(made).toMatchObject({
      method: 'POST',
      path: `/workspaces/${workspace.workspaceId}/agent-sessions`,
      body: {
        sessionId: agentSessionId,
        chatSessionId: sessionId,
        projectId: project.projectId,
        label: 'fix it',
      },
    });
    expect(await call('agent-sessions/list', as(me, { params }))).toMatchObject({
      body: { sessions: [{ id: agentSessionId, status: 'running', agentType: 'claude-code' }] },
    });
    expect(await call('chats/get', as(me, here({ sessionId })))).toMatchObject({
      body: {
        session: { id: sessionId, agentSessionId, topic: 'fix it', status: 'active' },
        messages: [],
        hasMore: false,
      },
    });

    for (const _ of ['once', 'again']) {
      const stopped = await call(
        'agent-sessions/stop',
        as(me, { params: { ...params, sessionId: agentSessionId } }),
      );
      expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped' } });
    }
    expect(node.seen.filter((request) => request.endsWith('/stop'))).toHaveLength(1);
    expect(await call('agent-sessions/list', as(me, { params }))).toMatchObject({ body: { sessions: [] } });
    expect(await call('chats/state', as(me, here({ sessionId })))).toMatchObject({
      body: { state: { activity: 'stopped' } },
    });
  });

  it('is told where its tools are, with a token that ends with it', async () => {
    const { agentSessionId } = await agentSession({ agentType: 'claude-code' });
    const params = { workspaceId: workspace.workspaceId };
    const [server] = McpServers.parse(node.requests[0]?.body).mcpServers;
    const ping = () =>
      invokes.get('mcp/call')?.({
        headers: { authorization: `Bearer ${server?.token}` },
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });

    expect(server?.url).toBe(`${process.env.PUBLIC_URL}/mcp`);
    expect(await ping()).toMatchObject({ status: 200, body: { result: {} } });
    await call('agent-sessions/stop', as(me, { params: { ...params, sessionId: agentSessionId } }));
    expect(await ping()).toMatchObject({ status: 401 });
  });

  it('is told of no tools where it could not use them', async () => {
    await agentSession({ agentType: 'amp' });

    expect(node.requests[0]?.body).not.toHaveProperty('mcpServers');
  });

  it('is not remembered when the node does not make it', async () => {
    node.onRequest = async () => ({ status: 503, body: { error: 'unavailable' } });
    const params = { workspaceId: workspace.workspaceId };

    expect(await call('agent-sessions/create', as(me, { params, body: {} }))).toMatchObject({ status: 503 });

    expect(await call('agent-sessions/list', as(me, { params }))).toMatchObject({ body: { sessions: [] } });
    expect(await call('chats/list', as(me, here()))).toMatchObject({ body: { sessions: [] } });
  });

  it('is one of ten at most, however many are asked for at once', async () => {
    const params = { workspaceId: workspace.workspaceId };
    const ask = invokes.get('agent-sessions/create');
    const replies = await Promise.all(Array.from({ length: 13 }, () => ask?.(as(me, { params, body: {} }))));

    const statuses = replies.map((reply) => reply?.status).sort();
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(replies.find((reply) => reply?.status === 409)).toMatchObject({
      body: { error: 'AGENT_SESSION_LIMIT_REACHED' },
    });
  });

  it('needs a workspace that runs, and one’s own', async () => {
    const { workspace: stopped } = await placedWorkspace(
      table,
      { userId: me.userId, status: 'stopped' },
      node.place,
    );
    const params = { workspaceId: stopped.workspaceId };
    const stranger = await signIn(table);

    expect(await call('agent-sessions/create', as(me, { params, body: {} }))).toMatchObject({ status: 409 });
    for (const file of ['agent-sessions/create', 'agent-sessions/list']) {
      const theirs = { workspaceId: workspace.workspaceId };
      expect(
        await call(file, as(stranger, { params: theirs, ...(file.endsWith('create') ? { body: {} } : {}) })),
      ).toMatchObject({
        status: 404,
      });
    }
    expect(node.requests).toEqual([]);
  });
});

describe('messages of a node', () => {
  it('are stored once and in order, told again, overlapping or as a whole', async () => {
    const { sessionId } = await agentSession();

    expect(await tell([1, 2, 3].map((at) => said(sessionId, at)))).toMatchObject({
      body: { persisted: 3, duplicates: 0 },
    });
    expect(await tell([1, 2, 3].map((at) => said(sessionId, at)))).toMatchObject({
      body: { persisted: 0, duplicates: 3 },
    });
    expect(await tell([2, 3, 4].map((at) => said(sessionId, at)))).toMatchObject({
      body: { persisted: 1, duplicates: 2 },
    });

    expect(await contents(sessionId)).toEqual(['piece 1', 'piece 2', 'piece 3', 'piece 4']);
    expect(await contents(sessionId, { compact: 'true' })).toEqual(['piece 1 piece 2 piece 3 piece 4']);
  });

  it('are stored once when the same batch comes many times at once', async () => {
    const { sessionId } = await agentSession();
    const batch = Array.from({ length: 20 }, (_, index) => said(sessionId, index + 1));
    const { workspaceId } = workspace;
    const request = {
      params: { workspaceId },
      ...(await bearer()),
      body: { generation: 1, messages: batch },
    };

    const replies = await Promise.all(
      Array.from({ length: 6 }, () => invokes.get('callbacks/messages')?.(request)),
    );

    for (const reply of replies) expect([200, 503]).toContain(reply?.status);
    await tell(batch);
    expect(await contents(sessionId, { limit: '100' })).toHaveLength(20);
  });

  it('come a hundred at a time, people’s among them', async () => {
    const { sessionId } = await agentSession();
    const batch = Array.from({ length: 100 }, (_, index) =>
      said(sessionId, index + 1, index % 2 === 0 ? { role: 'user', origin: 'user' } : {}),
    );

    expect(await tell(batch)).toMatchObject({ status: 200, body: { persisted: 100 } });
    expect(await tell(batch)).toMatchObject({ status: 200, body: { persisted: 0, duplicates: 100 } });

    expect(await contents(sessionId, { limit: '100', roles: 'user' })).toHaveLength(50);
  });

  it('are refused of another session, another generation, another workspace, and after its end', async () => {
    const { sessionId } = await agentSession();
    const { sessionId: other } = await agentSession();
    const { workspace: foreign } = await placedWorkspace(
      table,
      { userId: me.userId, status: 'running' },
      node.place,
    );

    expect(await tell([said(sessionId, 1), said(other, 2)])).toMatchObject({ status: 400 });
    expect(await tell([said(sessionId, 1)], { generation: 2 })).toMatchObject({ status: 400 });
    expect(await tell([said(sessionId, 1)], { as: foreign })).toMatchObject({
      status: 409,
      body: { error: 'NOT_LINKED' },
    });
    expect(
      await tell([said(sessionId, 1)], { generation: 2, as: { ...workspace, generation: 2 } }),
    ).toMatchObject({
      status: 410,
    });
    expect(await tell([said('01K0000000000000000000000C', 1)])).toMatchObject({ status: 404 });
    expect(await contents(sessionId)).toEqual([]);
  });

  it('are taken up to the limit of their length, and not a byte more', async () => {
    const { sessionId } = await agentSession();
    // Two bytes each.
    const most = 'ü'.repeat(51_200);

    expect(await tell([said(sessionId, 1, { content: most })])).toMatchObject({ status: 200 });
    expect(await tell([said(sessionId, 2, { content: `${most}x` })])).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.messages.0.content' }] },
    });
    expect(await contents(sessionId)).toEqual([most]);
  });

  it('keep every character', async () => {
    const { sessionId } = await agentSession();
    const odd = '\u0000\u001b[31m 👩‍👩‍👧 \ufeff "quotes" \\ \u2028';

    await tell([said(sessionId, 1, { content: odd })]);

    const page = await call('chats/messages', as(me, here({ sessionId })));
    expect(page.body.messages).toMatchObject([{ content: odd }]);
  });

  it('show what a tool said only when it is asked for', async () => {
    const { sessionId } = await agentSession();
    const toolMetadata = { toolCallId: 't1', title: 'read', content: [{ type: 'content', text: 'LONG' }] };
    await tell([said(sessionId, 1, { role: 'tool', toolMetadata }), said(sessionId, 2)]);

    const page = await call('chats/messages', as(me, here({ sessionId })));
    expect(page.body.messages).toMatchObject([
      { hasToolContent: true, toolMetadata: { toolCallId: 't1', title: 'read' } },
      { hasToolContent: false, toolMetadata: null },
    ]);
    expect(JSON.stringify(page.body)).not.toContain('LONG');
    expect(await call('chats/tool-content', as(me, here({ sessionId, sequence: '1' })))).toMatchObject({
      body: { content: [{ text: 'LONG' }] },
    });
    expect(await call('chats/tool-content', as(me, here({ sessionId, sequence: '2' })))).toMatchObject({
      status: 404,
    });
  });
});

describe('pages', () => {
  it('go through all messages in both directions, whatever comes meanwhile', async () => {
    const { sessionId } = await agentSession();
    await tell(Array.from({ length: 25 }, (_, index) => said(sessionId, index + 1)));
    const walk = async (order: string) => {
      const sequences: number[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string> = {
          limit: '10',
          order,
          before: '26',
          ...(cursor ? { cursor } : {}),
        };
        const page = await call('chats/messages', as(me, { ...here({ sessionId }), query }));
        sequences.push(...page.body.messages.map(({ sequence }) => sequence));
        cursor = page.body.nextCursor;
        await tell([said(sessionId, 26), said(sessionId, 27)]);
      } while (cursor);
      return sequences;
    };

    const expected = Array.from({ length: 25 }, (_, index) => index + 1);
    expect(await walk('asc')).toEqual(expected);
    expect(await walk('desc')).toEqual([...expected].reverse());
  });

  it('begin after what a client has', async () => {
    const { sessionId } = await agentSession();
    await tell(Array.from({ length: 5 }, (_, index) => said(sessionId, index + 1)));

    expect(await contents(sessionId, { after: '3' })).toEqual(['piece 4', 'piece 5']);
    expect(await contents(sessionId, { after: '5' })).toEqual([]);
    expect(await contents(sessionId, { after: '3', before: '4' })).toEqual([]);
  });

  it('of sessions show a person their own, and members all', async () => {
    const { sessionId } = await agentSession();
    const viewer = await signIn(table);
    await join(viewer, 'viewer');
    const ids = async (who: SignedIn, query: Record<string, string> = {}) => {
      const page = await call('chats/list', as(who, { ...here(), query }));
      return page.body.sessions.map(({ id }) => id);
    };

    expect(await ids(viewer)).toEqual([sessionId]);
    expect(await ids(viewer, { scope: 'my' })).toEqual([]);
    expect(await ids(me, { scope: 'my', status: 'active' })).toEqual([sessionId]);
    expect(await ids(me, { status: 'stopped' })).toEqual([]);
  });

  it('never show a session of another project', async () => {
    const { sessionId } = await agentSession();
    const mine = project;
    project = aProject({ userId: me.userId });
    await putItem(table, projectItem(project));
    await join(me, 'owner');

    for (const file of ['chats/get', 'chats/messages', 'chats/state'])
      expect(await call(file, as(me, here({ sessionId })))).toMatchObject({ status: 404 });
    project = mine;
    expect(await call('chats/get', as(me, here({ sessionId })))).toMatchObject({ status: 200 });
  });
});

describe('activity', () => {
  async function report(
    agentSessionId: string,
    body: object,
    more: { projectId?: string; as?: Workspace } = {},
  ) {
    const teller = more.as ?? workspace;
    const { workspaceId, nodeId, generation } = teller;
    const params = { projectId: more.projectId ?? project.projectId, sessionId: agentSessionId };
    const full = { nodeId, workspaceId, generation, restartCount: 0, ...body };
    return call('callbacks/agent-activity', { params, ...(await bearer(teller)), body: full });
  }

  it('is shown as it was told last', async () => {
    const { sessionId, agentSessionId } = await agentSession();
    const state = async () => (await call('chats/state', as(me, here({ sessionId })))).body.state;
    expect(await state()).toMatchObject({ activity: null });

    const begun = { activity: 'prompting', promptStartedAt: 1_000, agentType: 'claude-code' };
    expect(await report(agentSessionId, begun)).toMatchObject({ status: 204 });
    expect(await state()).toMatchObject({
      activity: 'prompting',
      promptStartedAt: 1_000,
      agentType: 'claude-code',
    });
    await report(agentSessionId, { activity: 'error', statusError: 'too long', restartCount: 1 });
    expect(await state()).toMatchObject({
      activity: 'error',
      statusError: 'too long',
      restartCount: 1,
      promptStartedAt: null,
    });
  });

  it('of an earlier prompt does not hide the present one', async () => {
    const { sessionId, agentSessionId } = await agentSession();
    await report(agentSessionId, { activity: 'prompting', promptStartedAt: 2_000 });

    await report(agentSessionId, { activity: 'prompting', promptStartedAt: 1_000 });

    expect((await call('chats/state', as(me, here({ sessionId })))).body.state).toMatchObject({
      promptStartedAt: 2_000,
    });
  });

  it('is refused of another workspace, another project and an unknown session', async () => {
    const { agentSessionId } = await agentSession();
    const { workspace: foreign } = await placedWorkspace(
      table,
      { userId: me.userId, status: 'running' },
      node.place,
    );
    const idle = { activity: 'idle' };

    expect(await report(agentSessionId, idle, { as: foreign })).toMatchObject({ status: 404 });
    expect(await report(agentSessionId, idle, { projectId: aProject().projectId })).toMatchObject({
      status: 404,
    });
    expect(await report(aProject().projectId, idle)).toMatchObject({ status: 404 });
  });
});

describe('a message to the agent', () => {
  const prompt = (sessionId: string, body: object, more: { who?: SignedIn; key?: string } = {}) =>
    call(
      'chats/prompt',
      as(more.who ?? me, {
        ...here({ sessionId }),
        body,
        ...(more.key ? { headers: { 'idempotency-key': more.key } } : {}),
      }),
    );

  it('is taken on, seen at once, and rung for, with at most three table calls', async () => {
    const { sessionId } = await agentSession({ agentType: 'claude-code' });

    const sent = await prompt(sessionId, { content: 'Fix it' });

    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(3);
    const { deliveryId, messageId } = sent.body as unknown as Record<string, string>;
    expect(sent).toMatchObject({ status: 202, body: { accepted: true, status: 'queued' } });
    expect(await bells.heard('PROMPTS_QUEUE_URL')).toEqual([{ chatId: sessionId }]);
    expect((await call('chats/messages', as(me, here({ sessionId })))).body.messages).toMatchObject([
      {
        id: messageId,
        role: 'user',
        content: 'Fix it',
        delivery: { deliveryId, state: 'queued', reason: null },
      },
    ]);
    expect(await call('chats/deliveries', as(me, here({ sessionId })))).toMatchObject({
      body: { deliveries: [{ id: deliveryId, messageId, state: 'queued', attempts: 0 }] },
    });
    // The node tells of it too, with what came after.
    await tell([said(sessionId, 1, { role: 'user', messageId: String(messageId) }), said(sessionId, 2)]);
    expect(await contents(sessionId)).toEqual(['Fix it', 'piece 2']);
  });

  it('is one, however often it is sent with one key or one id', async () => {
    const { sessionId } = await agentSession({ agentType: 'claude-code' });

    const byKey = await Promise.all(
      Array.from({ length: 10 }, () => invokes.get('chats/prompt')?.(promptRequest(sessionId))),
    );
    const byId = [
      await prompt(sessionId, { content: 'Again', messageId: 'mine-1' }),
      await prompt(sessionId, { content: 'Again', messageId: 'mine-1' }),
    ];

    expect(new Set(byKey.map((reply) => JSON.stringify(reply?.body))).size).toBe(1);
    expect(byId[1]?.body).toEqual(byId[0]?.body);
    expect(await contents(sessionId)).toEqual(['Once', 'Again']);
    expect(await prompt(sessionId, { content: 'Other', messageId: 'mine-1' })).toMatchObject({
      status: 409,
      body: { error: 'DELIVERY_CONFLICT' },
    });
  });

  const promptRequest = (sessionId: string) =>
    as(me, { ...here({ sessionId }), body: { content: 'Once' }, headers: { 'idempotency-key': 'k-1' } });

  it('is taken up to its greatest length, and not a character more', async () => {
    const { sessionId } = await agentSession({ agentType: 'claude-code' });
    const most = '世'.repeat(32_768);

    expect(await prompt(sessionId, { content: most })).toMatchObject({ status: 202 });
    for (const content of [`${most}x`, '', ' \n', 'broken \ud800'])
      expect(await prompt(sessionId, { content })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'body.content' }] },
      });
    expect(await contents(sessionId)).toEqual([most]);
  });

  it('comes from who began the session alone, and goes to an agent', async () => {
    const { sessionId } = await agentSession();
    const other = await signIn(table);
    await join(other, 'owner');
    const viewer = await signIn(table);
    await join(viewer, 'viewer');
    const begun = await call('chats/create', as(me, { ...here(), body: {} }));

    for (const who of [other, viewer]) {
      expect(await prompt(sessionId, { content: 'x' }, { who })).toMatchObject({ status: 403 });
      expect(await call('chats/cancel', as(who, here({ sessionId })))).toMatchObject({ status: 403 });
    }
    expect(await prompt(begun.body.id, { content: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'SESSION_HAS_NO_AGENT' },
    });
    expect(await contents(sessionId)).toEqual([]);
  });

  it('is rung for when the agent becomes idle and something waits', async () => {
    const { sessionId, agentSessionId } = await agentSession({ agentType: 'claude-code' });
    const { nodeId, workspaceId, generation } = workspace;
    const report = async (activity: string) =>
      call('callbacks/agent-activity', {
        params: { projectId: project.projectId, sessionId: agentSessionId },
        ...(await bearer()),
        body: { activity, nodeId, workspaceId, generation, restartCount: 0 },
      });
    const heardHere = async () =>
      (await bells.heard('PROMPTS_QUEUE_URL')).filter((bell) => Object(bell).chatId === sessionId);

    await report('idle');
    expect(await heardHere()).toEqual([]);
    await prompt(sessionId, { content: 'x' });
    expect(await heardHere()).toHaveLength(1);
    await report('prompting');
    expect(await heardHere()).toEqual([]);
    await report('idle');
    expect(await heardHere()).toHaveLength(1);
  });

  it('is taken no more once the session has been stopped, which a repeat does not change', async () => {
    const { sessionId, agentSessionId } = await agentSession();
    const stop = (who = me) => call('chats/stop', as(who, here({ sessionId })));
    const other = await signIn(table);
    await join(other, 'owner');

    expect(await stop(other)).toMatchObject({ status: 403 });
    for (const _ of ['once', 'again'])
      expect(await stop()).toMatchObject({
        status: 200,
        body: { status: 'stopped', workspaceDeleted: false },
      });

    expect(node.seen.filter((seen) => seen.endsWith(`${agentSessionId}/stop`))).toHaveLength(1);
    expect(await prompt(sessionId, { content: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'SESSION_ENDED' },
    });
  });

  it('is cancelled with the turn that it began, and what does not run is idle', async () => {
    const { sessionId } = await agentSession();
    node.onRequest = async ({ path }) =>
      path.endsWith('/cancel')
        ? { status: 200, body: { status: 'cancelled', message: 'Being cancelled' } }
        : undefined;
    const cancel = () => call('chats/cancel', as(me, here({ sessionId })));

    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    node.onRequest = async () => ({ status: 409, body: { status: 'idle', message: 'Nothing' } });
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'idle' } });
  });
});

it('a chat is begun without an agent, and only with a workspace of this project', async () => {
  const { workspaceId } = workspace;
  const { workspace: elsewhere } = await placedWorkspace(
    table,
    { userId: me.userId, status: 'running' },
    node.place,
  );
  const begin = (body: object) => call('chats/create', as(me, { ...here(), body }));

  expect(await begin({ topic: 'Think' })).toMatchObject({
    status: 201,
    body: { topic: 'Think', workspaceId: null },
  });
  expect(await begin({ workspaceId })).toMatchObject({ status: 201, body: { workspaceId } });
  expect(await begin({ workspaceId: elsewhere.workspaceId })).toMatchObject({ status: 404 });
});
