import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Chat, chatItem } from '../../../lambdas/domain/chats/chat.js';
import { messageItem } from '../../../lambdas/domain/chats/message.js';
import {
  closeConnection,
  openConnection,
  subscribe,
  unsubscribe,
} from '../../../lambdas/domain/live/connection.js';
import { findTopicAccess } from '../../../lambdas/domain/live/topic-access.js';
import { type Member, memberItem } from '../../../lambdas/domain/projects/member.js';
import { sessionKey } from '../../../lambdas/domain/sessions/session.js';
import { endAccess } from '../../../lambdas/domain/users/end-access.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { lambdaContext } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { signIn } from '../../support/sign-in.js';
import { sharedTable } from '../../support/table.js';
import { putChat } from '../prompts/a-chat.js';

/** What API Gateway is asked to do with connections. */
const asked: { method: string; connectionId: string; frame: Record<string, unknown> }[] = [];
let gateway: Server;
let table: Table;
let stream: typeof import('../../../lambdas/streams/live.js').handler;
let endRights: typeof import('../../../lambdas/streams/end-rights.js').handler;
let socket: typeof import('../../../lambdas/socket/subscribe.js').handler;
let calls: CallCount;
let chat: Chat;
let userId: string;

beforeAll(async () => {
  gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const connectionId = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    asked.push({ method: request.method ?? '', connectionId, frame: text ? JSON.parse(text) : {} });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so its address has a port.
  const { port } = gateway.address() as AddressInfo;
  Object.assign(process.env, functionEnv, { LIVE_ENDPOINT: `http://127.0.0.1:${port}/live` });
  table = sharedTable();
  ({ handler: stream } = await import('../../../lambdas/streams/live.js'));
  ({ handler: endRights } = await import('../../../lambdas/streams/end-rights.js'));
  ({ handler: socket } = await import('../../../lambdas/socket/subscribe.js'));
  const { table: own } = await import('../../../lambdas/shared/clients/documents.js');
  calls = countCalls(own.client);
});

afterAll(() => new Promise((resolve) => gateway.close(resolve)));

beforeEach(async () => {
  asked.length = 0;
  userId = newId();
  chat = await putChat(table, { userId });
  await putItem(table, memberItem(member()));
});

const member = (overrides: Partial<Member> = {}): Member => ({
  projectId: chat.projectId,
  userId,
  role: 'viewer',
  status: 'active',
  project: aProject(),
  joinedAt: '2026-11-21T10:00:00.000Z',
  ...overrides,
});

async function connect() {
  const { sessionHash } = await signIn(table, { userId });
  const connection = { connectionId: newId(), userId, sessionHash };
  await openConnection(table, connection, new Date());
  return { ...connection, expiresAt: Math.floor(Date.now() / 1_000) + 60 };
}

async function listen(topic: string) {
  const connection = await connect();
  await subscribe(table, connection, topic);
  return connection.connectionId;
}

/** As API Gateway hands on what a client sends. */
function ask({ connectionId, sessionHash }: Awaited<ReturnType<typeof connect>>, body: object) {
  const requestContext = {
    ...{ connectionId, routeKey: 'subscribe', eventType: 'MESSAGE', authorizer: { userId, sessionHash } },
  };
  // The edge reads nothing else of it.
  const event = { requestContext, body: JSON.stringify(body) } as unknown as Parameters<typeof socket>[0];
  return socket(event, lambdaContext);
}

type Image = Record<string, unknown> | undefined;

function batch(...changes: (readonly [Image, Image])[]): DynamoDBStreamEvent {
  const image = (item: Image) => (item ? marshall(item, { removeUndefinedValues: true }) : undefined);
  const Records = changes.map(([before, after], index) => ({
    dynamodb: { SequenceNumber: String(index), OldImage: image(before), NewImage: image(after) },
  }));
  // The SDK and the event describe one wire format twice.
  return { Records } as unknown as DynamoDBStreamEvent;
}

it('is refused to a socket that was opened at the moment in which its session ended', async () => {
  const topic = `chat:${chat.chatId}`;
  const [over, suspended] = [await connect(), await connect()];
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: sessionKey(over.sessionHash) }));
  const refused = expect.objectContaining({ frame: expect.objectContaining({ error: 'CONFLICT' }) });

  await ask(over, { action: 'subscribe', topic });
  expect(asked).toEqual([refused]);

  await endAccess(table, { userId, change: { status: 'suspended' }, now: new Date() });
  await ask(suspended, { action: 'subscribe', topic });
  expect(asked).toEqual([refused, refused]);
});

it('is shown to members of the project, and to nobody else', async () => {
  const topics = [`chat:${chat.chatId}`, `project:${chat.projectId}`];
  const isVisible = async (topic: string, who = userId) =>
    (
      await findTopicAccess(table, {
        topic,
        userId: who,
        sessionHash: '',
        connectionId: newId(),
        now: new Date(),
      })
    ).isVisible;

  for (const topic of topics) {
    expect(await isVisible(topic)).toBe(true);
    expect(await isVisible(topic, newId())).toBe(false);
  }
  expect(await isVisible(`chat:${newId()}`)).toBe(false);
  await putItem(table, memberItem(member({ status: 'removed' })));
  for (const topic of topics) expect(await isVisible(topic)).toBe(false);
});

it('is subscribed to with four table calls at most, and shown as it is', async () => {
  const connection = await connect();

  for (const [topic, reported] of [
    [`chat:${chat.chatId}`, ['subscribed', 'session.updated']],
    [`project:${chat.projectId}`, ['subscribed']],
    [`chat:${newId()}`, ['error']],
  ] as const) {
    asked.length = 0;
    calls.reset();
    await ask(connection, { action: 'subscribe', topic });

    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(4);
    expect(asked.map(({ frame }) => frame.type)).toEqual(reported);
  }
});

it('is one of fifty of a connection, however many are asked for at once, until one is given up', async () => {
  const connection = await connect();
  const topics = Array.from({ length: 60 }, () => `workspace:${newId()}`);

  const taken = await Promise.all(topics.map((topic) => subscribe(table, connection, topic)));

  expect(taken.filter(Boolean)).toHaveLength(50);
  const [first = ''] = topics.filter((_, index) => taken[index]);
  const [left = ''] = topics.filter((_, index) => !taken[index]);
  expect(await subscribe(table, connection, first)).toBe(true);
  expect(await subscribe(table, connection, left)).toBe(false);
  await unsubscribe(table, connection.connectionId, first);
  expect(await subscribe(table, connection, left)).toBe(true);
});

it('is not subscribed to by a connection that has ended', async () => {
  const connection = await connect();
  await closeConnection(table, connection.connectionId);

  expect(await subscribe(table, connection, `chat:${chat.chatId}`)).toBe(false);
});

it('costs a subscriber one frame for a flood of changes', async () => {
  const connectionId = await listen(`chat:${chat.chatId}`);
  const flood = Array.from({ length: 100 }, (_, index) => {
    const at = (version: number) => chatItem({ ...chat, version, lastSequence: version });
    return [at(index + 1), at(index + 2)] as const;
  });

  expect(await stream(batch(...flood), lambdaContext)).toEqual({ batchItemFailures: [] });

  expect(asked).toMatchObject([
    { method: 'POST', connectionId, frame: { type: 'session.updated', version: 101 } },
  ]);
});

it('receives new messages in one frame, from the change of the table alone', async () => {
  const connectionId = await listen(`chat:${chat.chatId}`);
  const { chatId, projectId } = chat;
  const said = ['Hello', 'x'.repeat(50_000), 'Bye'].map((content, index) => {
    const message = {
      chatId,
      projectId,
      sequence: index + 1,
      messageId: newId(),
      content,
      toolMetadata: null,
    };
    return messageItem({ ...message, role: 'assistant', origin: null, createdAt: new Date().toISOString() });
  });

  calls.reset();
  await stream(batch(...said.map((item) => [undefined, item] as const)), lambdaContext);

  expect(calls.names).toEqual(['QueryCommand']);
  expect(asked).toMatchObject([{ method: 'POST', connectionId, frame: { type: 'messages.batch' } }]);
  expect(asked[0]?.frame.data).toMatchObject({
    messages: [
      { sequence: 1, content: 'Hello' },
      { sequence: 2, content: null },
      { sequence: 3, content: 'Bye' },
    ],
  });
});

it('sends a subscriber all changes of one batch in one frame, and only those of its subscriptions', async () => {
  const connection = await connect();
  const { chatId, projectId } = chat;
  for (const topic of [`chat:${chatId}`, `project:${projectId}`]) await subscribe(table, connection, topic);
  const other = await listen(`project:${projectId}`);
  const stopped = { ...chat, version: 2, status: 'stopped' as const };

  await stream(batch([chatItem(chat), chatItem(stopped)]), lambdaContext);

  const state = (topic: string) => ({ type: 'session.stopped', topic, version: 2 });
  const frames = new Map(asked.map(({ connectionId, frame }) => [connectionId, frame]));
  expect(asked).toHaveLength(2);
  expect(frames.get(connection.connectionId)).toMatchObject({
    type: 'events',
    events: [state(`chat:${chatId}`), state(`project:${projectId}`)],
  });
  expect(frames.get(other)).toMatchObject(state(`project:${projectId}`));
});

it('reads nothing and sends nothing for changes that nobody sees', async () => {
  await listen(`chat:${chat.chatId}`);
  calls.reset();

  await stream(
    batch([chatItem(chat), chatItem({ ...chat, version: 2, deliveringId: newId() })]),
    lambdaContext,
  );

  expect(calls.names).toEqual([]);
  expect(asked).toEqual([]);
});

it('ends the sockets of a member who was removed', async () => {
  const connectionId = await listen(`project:${chat.projectId}`);
  const before = memberItem(member());

  await endRights(batch([before, memberItem(member({ role: 'admin' }))]), lambdaContext);
  expect(asked).toEqual([]);
  await endRights(batch([before, undefined]), lambdaContext);

  expect(asked).toMatchObject([{ method: 'DELETE', connectionId }]);
});
