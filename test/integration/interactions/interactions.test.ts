import { createHash, randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { attentionMarkers } from '../../../lambdas/domain/chats/chat.js';
import { Interaction, interactionKey } from '../../../lambdas/domain/interactions/interaction.js';
import { contentKey } from '../../../lambdas/domain/interactions/interaction-content.js';
import { sweepInteractions } from '../../../lambdas/domain/interactions/sweep-interactions.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { answerText, type InteractionDecision } from '../../../protocol/interactions.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, lambdaContext, loadRoute, routeOf } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { putTask } from '../../support/put-task.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { chatOnNode, itemsOf, readChat } from '../prompts/a-chat.js';
import { PromptNode } from '../prompts/prompt-node.js';

let table: Table;
let calls: CallCount;
let queues: TestWakeUpQueues;
let node: PromptNode;
let me: SignedIn;
let chat: Chat;
let worker: typeof import('../../../lambdas/queues/deliver-prompts.js').handler;
const invokes = new Map<string, Invoke>();
const files = [
  ...['create-interaction', 'settle-interaction', 'complete-interaction-url'].map(
    (name) => `callbacks/${name}`,
  ),
  ...['interactions', 'interaction', 'answer-interaction'].map((name) => `chats/${name}`),
];
/** What the node answers to the next answers; the last one repeats. */
let nodeAnswers: { readonly status: number; readonly body?: object }[];
let answered: Record<string, unknown>[];

beforeAll(async () => {
  Object.assign(process.env, functionEnv, { TABLE_NAME: (await emptyTable()).name });
  queues = await TestWakeUpQueues.create();
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  for (const file of files) invokes.set(file, await loadRoute(file));
  ({ handler: worker } = await import('../../../lambdas/queues/deliver-prompts.js'));
  calls = countCalls(table.client);
  node = await PromptNode.start();
});
afterAll(() => node[Symbol.asyncDispose]());

beforeEach(async () => {
  me = await signIn(table);
  chat = await chatOnNode(table, node, { userId: me.userId });
  nodeAnswers = [{ status: 200, body: { status: 'consumed' } }];
  answered = [];
  node.stub.onRequest = async ({ path, body }) => {
    if (!path.endsWith('/answer')) return undefined;
    answered.push(body);
    const { interactionId, generation, runtimeIdentity } = body;
    const { status, body: more } = (nodeAnswers.length > 1 ? nodeAnswers.shift() : nodeAnswers[0]) ?? {
      status: 500,
    };
    return { status, body: { ...more, interactionId, generation, runtimeIdentity } };
  };
});

/** What replies of these routes may hold. */
interface Answered {
  readonly deadlineAt: number;
  readonly detail: unknown;
  readonly pending: readonly { readonly completedAt?: string | null }[];
  readonly settled: readonly object[];
  readonly cursor: string | null;
}

async function call(file: string, request: Parameters<Invoke>[0]) {
  calls.reset();
  const reply = await invokes.get(file)?.(request);
  if (!reply) throw new Error(`${file} is not loaded`);
  const most = callBudgetOf(file, routeOf(file).method);
  expect(calls.names.length, `${file}: ${calls.names.join()}`).toBeLessThanOrEqual(most);
  return { ...reply, body: reply.body as Answered };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const permission = {
  kind: 'permission',
  detail: {
    permissionName: 'Run rm -rf build',
    options: [
      { id: 'yes', kind: 'allow_once', name: 'Allow' },
      { id: 'no', kind: 'reject_once', name: 'Refuse' },
    ],
  },
};
const form = {
  kind: 'form',
  detail: {
    message: 'Which region?',
    schema: {
      type: 'object',
      properties: { region: { type: 'string', enum: ['eu', 'us'] } },
      required: ['region'],
    },
  },
};
const link = {
  kind: 'url',
  detail: { message: 'Sign in', url: 'https://github.com/login/device', elicitationId: 'e-1' },
};

const waiterOf = (id: string) => ({
  ...{ protocolVersion: 1, interactionId: id, generation: '0d3f7f0e-8d3c-4a39-9a51-5f4c8a1b2c3d' },
  ...{ runtimeIdentity: 'run-1', agentSessionId: String(chat.agentSessionId) },
});

async function fromNode(file: string, body: object, more: Record<string, string> = {}) {
  const workspaceId = String(chat.workspaceId);
  const nodeId = await nodeIdOf(workspaceId);
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', {
    ...{ claims: { sub: workspaceId, node: nodeId, generation: 1 }, now: new Date() },
  });
  const params = { projectId: chat.projectId, workspaceId, ...more };
  return call(file, { params, headers: { authorization: `Bearer ${token}` }, body });
}

async function nodeIdOf(workspaceId: string): Promise<string> {
  const Key = { pk: `WORKSPACE#${workspaceId}`, sk: 'WORKSPACE' };
  return (await table.client.send(new GetCommand({ TableName: table.name, Key }))).Item?.nodeId;
}

async function ask(asked: object = permission, more: object = {}) {
  const id = randomUUID();
  const request = {
    ...{ ...waiterOf(id), payloadHash: sha256('a'), safeSummary: { toolCallId: 't-1' } },
    ...{ deadlineAt: Date.now() + 3 * 3_600_000, ...asked, ...more },
  };
  const reply = await fromNode('callbacks/create-interaction', request);
  return { id, request, reply };
}

const asked = async (...args: Parameters<typeof ask>) => {
  const { id, reply } = await ask(...args);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return id;
};

const origin = () => ({ origin: new URL(String(process.env.PUBLIC_URL)).origin });
const hashed = (decision: object): InteractionDecision =>
  ({ ...decision, answerHash: sha256(answerText(decision as InteractionDecision)) }) as InteractionDecision;
const yes = hashed({ kind: 'selected_option', optionId: 'yes' });
const no = hashed({ kind: 'selected_option', optionId: 'no' });

interface Answering {
  readonly key?: string;
  readonly by?: SignedIn;
  readonly headers?: Record<string, string>;
}
const answer = (id: string, decision: object, { key = 'k', by = me, headers = origin() }: Answering = {}) =>
  call('chats/answer-interaction', {
    ...{ params: { projectId: chat.projectId, sessionId: chat.chatId, interactionId: id } },
    ...{ cookies: [by.cookie], headers, body: { answerKey: key, decision } },
  });

const list = async (by = me) =>
  (
    await call('chats/interactions', {
      params: { projectId: chat.projectId, sessionId: chat.chatId },
      cookies: [by.cookie],
    })
  ).body;
const detail = (id: string, by = me) =>
  call('chats/interaction', {
    ...{
      params: { projectId: chat.projectId, sessionId: chat.chatId, interactionId: id },
      cookies: [by.cookie],
    },
  });

async function stored(id: string): Promise<Interaction> {
  const Key = interactionKey(chat.chatId, id);
  return Interaction.parse(
    (await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }))).Item,
  );
}
const markers = async () =>
  attentionMarkers(await readChat(table, chat.chatId)).map(({ markerId }) => markerId);

async function another(role: 'maintainer' | 'viewer' = 'maintainer'): Promise<SignedIn> {
  const other = await signIn(table);
  const project = aProject({ projectId: chat.projectId });
  const member = {
    projectId: chat.projectId,
    userId: other.userId,
    role,
    status: 'active',
    project,
  } as const;
  await putItem(table, memberItem({ ...member, joinedAt: project.createdAt }));
  return other;
}

/** Calls the worker as SQS does. */
async function deliver(id: string) {
  const body = JSON.stringify({ chatId: chat.chatId, interactionId: id });
  const record = { messageId: 'm', body, eventSourceARN: 'arn:aws:sqs:::delayed' };
  const reply = await worker({ Records: [record] } as unknown as SQSEvent, lambdaContext);
  expect(reply).toEqual({ batchItemFailures: [] });
}

/** Changes times of the record, as if they had passed. */
async function age(id: string, fields: Partial<Interaction>, index: object = {}) {
  const Key = interactionKey(chat.chatId, id);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  await putItem(table, { ...Item, ...Key, ...fields, ...index });
}
const past = new Date(Date.now() - 60_000).toISOString();

describe('a request of an agent', () => {
  it('is shown to its creator with its content, and marks the chat', async () => {
    const id = await asked();

    const { pending, settled } = await list();
    expect(pending).toEqual([
      expect.objectContaining({
        interactionId: id,
        kind: 'permission',
        state: 'pending',
        toolCallId: 't-1',
        attentionMarkerId: id,
      }),
    ]);
    expect(settled).toEqual([]);
    expect(await markers()).toEqual([id]);
    const { status, headers, body } = await detail(id);
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(body.detail).toEqual(permission.detail);
  });

  it('is stored sealed', async () => {
    await asked();

    const items = await itemsOf(table, chat.chatId, 'INTERACTION');
    expect(items).toHaveLength(2);
    expect(JSON.stringify(items)).not.toContain('rm -rf');
  });

  it('that is repeated is the same; another one under its id is refused', async () => {
    const { request, reply } = await ask();

    expect(await fromNode('callbacks/create-interaction', request)).toMatchObject({
      ...{ status: 200, body: { status: 'existing', deadlineAt: reply.body.deadlineAt } },
    });
    const other = { ...request, payloadHash: sha256('b') };
    expect(await fromNode('callbacks/create-interaction', other)).toMatchObject({
      ...{ status: 409, body: { error: 'INTERACTION_CONFLICT' } },
    });
    expect(await markers()).toHaveLength(1);
  });

  it('expires no later than its kind allows', async () => {
    const latest = async (kind: object) => (await ask(kind)).reply.body.deadlineAt - Date.now();

    expect(Math.round((await latest(permission)) / 60_000)).toBe(120);
    expect(Math.round((await latest(link)) / 60_000)).toBe(10);
    expect((await ask(permission, { deadlineAt: Date.now() - 1 })).reply).toMatchObject({
      ...{ status: 400, body: { details: [{ field: 'body.deadlineAt' }] } },
    });
  });

  it('of a task waits half an hour, and is no form and no link', async () => {
    await putTask(table, chat, { taskMode: 'task' });

    expect(Math.round(((await ask()).reply.body.deadlineAt - Date.now()) / 60_000)).toBe(30);
    for (const kind of [form, link])
      expect((await ask(kind)).reply).toMatchObject({
        status: 409,
        body: { error: 'INTERACTION_NOT_OFFERED' },
      });
  });

  it('is the ninth that waits: refused until one is answered', async () => {
    const ids = [];
    for (let count = 0; count < 8; count += 1) ids.push(await asked());
    expect((await ask()).reply).toMatchObject({ status: 429, body: { error: 'TOO_MANY_PENDING' } });

    expect((await markers()).sort()).toEqual([...ids].sort());
    const [first, ...others] = ids;
    await answer(String(first), yes);
    expect((await markers()).sort()).toEqual([...others].sort());
    const last = await asked();
    expect((await markers()).sort()).toEqual([...others, last].sort());
  });

  it.each([
    ['a link to this network', { kind: 'url', detail: { ...link.detail, url: 'https://10.0.0.1/' } }, 400],
    [
      'a form of another shape',
      {
        kind: 'form',
        detail: { message: 'x', schema: { type: 'object', properties: { a: { type: 'object' } } } },
      },
      400,
    ],
    [
      'more than 32 KiB',
      { ...permission, detail: { ...permission.detail, permissionName: 'x'.repeat(33_000) } },
      413,
    ],
    ['another protocol', { ...permission, protocolVersion: 2 }, 400],
  ])('with %s is refused and changes nothing', async (_what, kind, status) => {
    expect((await ask(kind)).reply.status).toBe(status);
    expect(await itemsOf(table, chat.chatId, 'INTERACTION')).toEqual([]);
  });

  it('of another workspace’s session is not found', async () => {
    const { chat: mine } = { chat };
    const elsewhere = await chatOnNode(table, node, { userId: me.userId });
    chat = { ...mine, workspaceId: elsewhere.workspaceId };

    expect((await ask()).reply.status).toBe(404);
  });
});

describe('members', () => {
  it('other than the creator see that something waits, and nothing of it', async () => {
    const id = await asked();
    const other = await another('viewer');

    const { pending, settled, cursor } = await list(other);
    expect(Object.keys(pending[0] ?? {}).toSorted()).toEqual([
      'createdAt',
      'deadlineAt',
      'interactionId',
      'kind',
      'state',
    ]);
    expect([settled, cursor]).toEqual([[], null]);
    expect(await detail(id, other)).toMatchObject({ status: 403, body: { error: 'NOT_SESSION_CREATOR' } });
  });

  it('other than the creator cannot answer', async () => {
    const id = await asked();

    expect(await answer(id, yes, { by: await another() })).toMatchObject({
      ...{ status: 403, body: { error: 'NOT_SESSION_CREATOR' } },
    });
    expect((await stored(id)).state).toBe('pending');
  });

  it.each([
    ['no origin', {}],
    ['another origin', { origin: 'https://evil.example' }],
    ['a page of another site', { ...{ 'sec-fetch-site': 'cross-site' } }],
  ])('cannot answer from %s', async (what, headers) => {
    const id = await asked();
    const sent: Record<string, string> = what.startsWith('a page') ? { ...origin(), ...headers } : headers;

    expect((await answer(id, yes, { headers: sent })).status).toBe(403);
    expect((await stored(id)).state).toBe('pending');
  });
});

describe('an answer', () => {
  it('is taken once; its repeat returns the state, another one is refused', async () => {
    const id = await asked();

    expect(await answer(id, yes)).toMatchObject({ status: 200, body: { accepted: true, state: 'answered' } });
    expect(await markers()).toEqual([]);
    expect(await queues.receive('DELAYED_WAKE_UP_QUEUE_URL')).toContainEqual({
      chatId: chat.chatId,
      interactionId: id,
    });
    expect(await answer(id, yes)).toMatchObject({ status: 200, body: { accepted: true, state: 'answered' } });
    for (const [decision, key] of [
      [no, 'k'],
      [yes, 'other'],
      [no, 'other'],
    ] as const)
      expect(await answer(id, decision, { key })).toMatchObject({
        status: 409,
        body: { error: 'INTERACTION_SETTLED' },
      });
    const { settled } = await list();
    expect(settled).toMatchObject([{ interactionId: id, state: 'answered', deliveryState: 'pending' }]);
  });

  it('of two at the same time is the first', async () => {
    const id = await asked();

    const replies = await Promise.all(
      [yes, no].map((decision, at) =>
        invokes.get('chats/answer-interaction')?.({
          ...{ params: { projectId: chat.projectId, sessionId: chat.chatId, interactionId: id } },
          ...{ cookies: [me.cookie], headers: origin(), body: { answerKey: `k${at}`, decision } },
        }),
      ),
    );
    expect(replies.map((reply) => reply?.status).toSorted()).toEqual([200, 409]);
  });

  it.each([
    [
      'an option that is not offered',
      permission,
      hashed({ kind: 'selected_option', optionId: 'other' }),
      'optionId',
    ],
    ['another hash', permission, { ...yes, answerHash: no.answerHash }, 'answerHash'],
    ['an acceptance of a permission', permission, hashed({ kind: 'accepted' }), 'kind'],
    [
      'a value that the form refuses',
      form,
      hashed({ kind: 'accepted', content: { region: 'mars' } }),
      'content.region',
    ],
    ['no values for a form', form, hashed({ kind: 'accepted' }), 'content'],
    ['values for a link', link, hashed({ kind: 'accepted', content: { a: 'b' } }), 'content'],
  ])('with %s is refused', async (_what, kind, decision, field) => {
    const id = await asked(kind);

    expect(await answer(id, decision)).toMatchObject({
      ...{ status: 400, body: { details: [{ field: `body.decision.${field}` }] } },
    });
    expect((await stored(id)).state).toBe('pending');
  });

  it('that comes after the deadline is refused', async () => {
    const id = await asked();
    await age(id, { deadlineAt: past });

    expect(await answer(id, yes)).toMatchObject({ status: 409, body: { error: 'INTERACTION_SETTLED' } });
    expect((await list()).settled).toMatchObject([{ interactionId: id, state: 'expired' }]);
  });

  it('of a form reaches the agent as it was given, and is stored sealed', async () => {
    const id = await asked(form);
    const decision = hashed({ kind: 'accepted', content: { region: 'eu' } });

    await answer(id, decision);
    await deliver(id);

    expect(answered).toEqual([
      expect.objectContaining({ interactionId: id, runtimeIdentity: 'run-1', decision }),
    ]);
    expect(await stored(id)).toMatchObject({ state: 'delivery_confirmed' });
    expect((await list()).settled).toMatchObject([{ deliveryState: 'confirmed' }]);
    expect(JSON.stringify(await itemsOf(table, chat.chatId, 'INTERACTION'))).not.toContain(
      decision.answerHash,
    );
  });
});

describe('the delivery of an answer', () => {
  it.each([
    [200, 'duplicate', 'delivery_confirmed'],
    [409, 'no_waiter', 'interrupted'],
    [409, 'stale_generation', 'interrupted'],
    [409, 'conflict', 'delivery_unconfirmed'],
  ])('that a node answers with %s %s is %s', async (status, word, state) => {
    const id = await asked();
    nodeAnswers = [{ status, body: { status: word } }];

    await answer(id, yes);
    await deliver(id);

    expect((await stored(id)).state).toBe(state);
  });

  it('is repeated after a lost answer, first after a second', async () => {
    const id = await asked();
    nodeAnswers = [{ status: 502 }, { status: 200, body: { status: 'duplicate' } }];
    await answer(id, yes);

    const from = Date.now();
    await deliver(id);
    const { state, attempts, nextAttemptAt } = await stored(id);
    expect([state, attempts]).toEqual(['answered', 1]);
    expect(Date.parse(String(nextAttemptAt)) - from).toBeLessThan(2_000);
    await deliver(id);
    expect(answered, 'not before it is due').toHaveLength(1);

    await age(id, { nextAttemptAt: past });
    await deliver(id);
    expect((await stored(id)).state).toBe('delivery_confirmed');
  });

  it('grows rarer, and ends with its time', async () => {
    const id = await asked();
    nodeAnswers = [{ status: 502 }];
    await answer(id, yes);
    const delays = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await age(id, { nextAttemptAt: past });
      await deliver(id);
      delays.push(Math.round((Date.parse(String((await stored(id)).nextAttemptAt)) - Date.now()) / 1_000));
    }
    expect(delays).toEqual([1, 5, 30, 120, 300, 300]);

    await age(id, { nextAttemptAt: past, deliverUntil: past });
    await deliver(id);
    expect(answered).toHaveLength(6);
    expect((await stored(id)).state).toBe('delivery_unconfirmed');
  });

  it('whose wake-up was lost is found by the sweep', async () => {
    const id = await asked();
    await answer(id, yes);

    const due = await sweepInteractions(table, new Date(Date.now() + 1_000));
    expect(due.map(({ interactionId }) => interactionId)).toContain(id);
  });
});

describe('the end of a request', () => {
  it.each([
    ['wrapper_cancelled', 'cancelled'],
    ['completed', 'cancelled'],
    ['expired', 'expired'],
    ['connection_closed', 'interrupted'],
    ['connection_replaced', 'interrupted'],
    ['session_stopped', 'interrupted'],
  ])('by %s is %s, also when it is reported twice', async (reason, state) => {
    const id = await asked();
    const settle = () =>
      fromNode('callbacks/settle-interaction', { ...waiterOf(id), reason }, { interactionId: id });

    expect(await settle()).toMatchObject({ status: 200, body: { state } });
    expect(await settle()).toMatchObject({ status: 200, body: { state } });
    expect(await markers()).toEqual([]);
    expect(await answer(id, yes)).toMatchObject({ status: 409 });
  });

  it('that comes after the answer changes nothing', async () => {
    const id = await asked();
    await answer(id, yes);
    const body = { ...waiterOf(id), reason: 'connection_closed' };

    expect(await fromNode('callbacks/settle-interaction', body, { interactionId: id })).toMatchObject({
      body: { state: 'answered' },
    });
  });

  it('that another connection reports is refused', async () => {
    const id = await asked();
    const body = { ...waiterOf(id), generation: randomUUID(), reason: 'expired' };

    expect(await fromNode('callbacks/settle-interaction', body, { interactionId: id })).toMatchObject({
      ...{ status: 409, body: { error: 'INTERACTION_CONFLICT' } },
    });
  });

  it('of a link is noted when it is done', async () => {
    const id = await asked(link);
    const complete = (elicitationId: string) =>
      fromNode(
        'callbacks/complete-interaction-url',
        { ...waiterOf(id), elicitationId },
        { interactionId: id },
      );

    expect(await complete('other')).toMatchObject({ status: 409 });
    expect(await complete('e-1')).toMatchObject({ status: 200, body: { state: 'pending' } });
    expect(await complete('e-1')).toMatchObject({ status: 200 });
    expect((await list()).pending[0]?.completedAt).not.toBeNull();
  });

  it('comes with its deadline, and an hour later its content is gone', async () => {
    const id = await asked();
    const index = { parentSk: `${past}#${id}` };
    await age(id, { deadlineAt: past }, index);

    await sweepInteractions(table, new Date());
    expect((await stored(id)).state).toBe('expired');
    expect(await markers()).toEqual([]);
    expect((await detail(id)).body.detail).toEqual(permission.detail);

    await sweepInteractions(table, new Date(Date.now() + 59 * 60_000));
    expect((await detail(id)).body.detail).not.toBeNull();
    await sweepInteractions(table, new Date(Date.now() + 61 * 60_000));
    expect((await detail(id)).body.detail).toBeNull();
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: contentKey({ chatId: chat.chatId, interactionId: id }) }),
    );
    expect(Item).toBeUndefined();
    const [row] = await itemsOf(table, chat.chatId, 'INTERACTION#');
    expect(row, 'the sweep has nothing more to do').not.toHaveProperty('parentPk');
  });
});
