import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Chat, chatItem } from '../../../lambdas/domain/chats/chat.js';
import { connectionKey, subscribe } from '../../../lambdas/domain/live/connection.js';
import { parallelPushes } from '../../../lambdas/domain/live/push.js';
import { socketLimits } from '../../../lambdas/domain/live/socket-limits.js';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { deleteItems, getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putChat } from '../../integration/prompts/a-chat.js';
import { functionEnv } from '../../support/function-env.js';
import { lambdaContext } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { SocketGateway } from '../../support/socket-gateway.js';
import { emptyTable } from '../../support/table.js';

// One session opens sockets without end; what others receive does not depend on it.

const flood = 200;

type Ping = typeof import('../../../lambdas/socket/ping.js').handler;
type Connect = typeof import('../../../lambdas/socket/connect.js').handler;
type Stream = typeof import('../../../lambdas/streams/live.js').handler;

let gateway: SocketGateway;
let table: Table;
let connect: Connect;
let disconnect: Connect;
let ping: Ping;
let stream: Stream;
let chat: Chat;
let flooder: { readonly userId: string; readonly sessionHash: string };

beforeAll(async () => {
  gateway = await SocketGateway.listen();
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name, LIVE_ENDPOINT: gateway.endpoint });
  ({ handler: connect } = await import('../../../lambdas/socket/connect.js'));
  ({ handler: disconnect } = await import('../../../lambdas/socket/disconnect.js'));
  ({ handler: ping } = await import('../../../lambdas/socket/ping.js'));
  ({ handler: stream } = await import('../../../lambdas/streams/live.js'));
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(async () => {
  gateway.reset();
  flooder = { userId: newId(), sessionHash: newId() };
  chat = await putChat(table, { userId: flooder.userId });
});

async function call(
  route: Connect,
  eventType: 'CONNECT' | 'DISCONNECT',
  { connectionId = newId(), ...authorizer }: typeof flooder & { readonly connectionId?: string },
) {
  const requestContext = { connectionId, routeKey: `$${eventType.toLowerCase()}`, eventType, authorizer };
  // The edge reads nothing else of it.
  const reply = await route({ requestContext } as unknown as Parameters<Connect>[0], lambdaContext);
  return { connectionId, isOpen: typeof reply === 'object' && reply.statusCode === 200 };
}

const opened = (who: typeof flooder) => call(connect, 'CONNECT', who);

async function openedInTurn(count: number, who = flooder): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await opened(who)).connectionId);
  return ids;
}

async function isStored(connectionId: string): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: connectionKey(connectionId), ConsistentRead: true }),
  );
  return Item !== undefined;
}

async function stored(ids: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(ids.map(isStored));
  return ids.filter((_, index) => found[index]);
}

const listen = (connectionId: string) =>
  subscribe(table, { connectionId, expiresAt: 2_000_000_000 }, `chat:${chat.chatId}`);

function changeOfChat(): DynamoDBStreamEvent {
  const image = (of: Chat) => marshall(chatItem(of), { removeUndefinedValues: true });
  const after: Chat = { ...chat, version: 2, status: 'stopped' };
  const dynamodb = { SequenceNumber: '1', OldImage: image(chat), NewImage: image(after) };
  // The SDK and the event describe one wire format twice.
  return { Records: [{ dynamodb }] } as unknown as DynamoDBStreamEvent;
}

it('closes the first socket of a session when the session opens its thirty-third', async () => {
  const ids = await openedInTurn(socketLimits.session);
  expect(gateway.asked).toEqual([]);

  await opened(flooder);

  expect(gateway.closed).toEqual([ids[0]]);
  expect(gateway.framesOf(String(ids[0]))).toMatchObject([{ type: 'error', error: 'TOO_MANY_SOCKETS' }]);
  expect(await stored(ids)).toEqual(ids.slice(1));
});

it('limits the sockets of a person over all sessions', async () => {
  const { userId } = flooder;
  const ids: string[] = [];
  for (let left = socketLimits.person; left > 0; left -= socketLimits.session)
    ids.push(...(await openedInTurn(socketLimits.session, { userId, sessionHash: newId() })));

  await opened({ userId, sessionHash: newId() });

  expect(gateway.closed).toEqual([ids[0]]);
});

it('refuses a socket while the deployment is full, and closes none of other people', async () => {
  const { connectionId } = await opened({ userId: newId(), sessionHash: newId() });
  const parts = Array.from({ length: 16 }, (_, part) => ({ pk: `SOCKETS#${part}`, sk: 'SOCKETS' }));
  const before = await Promise.all(parts.map((key) => getItem(table, key)));
  const full = () =>
    new Set(Array.from({ length: socketLimits.deployment / 16 }, () => `${Date.now()}#${newId()}`));
  for (const key of parts) await putItem(table, { ...key, sockets: full() });

  const refused = await opened(flooder);
  await deleteItems(table, parts);
  for (const item of before) if (item) await putItem(table, item);

  expect(refused.isOpen).toBe(false);
  expect(gateway.closed).toEqual([]);
  expect(await stored([connectionId, refused.connectionId])).toEqual([connectionId]);
  expect((await opened(flooder)).isOpen).toBe(true);
});

it('counts no socket that was closed, or whose disconnect was never reported', async () => {
  const ids = await openedInTurn(socketLimits.session);
  await call(disconnect, 'DISCONNECT', { ...flooder, connectionId: String(ids[5]) });
  await opened(flooder);
  expect(gateway.closed).toEqual([]);

  const forgotten = newId();
  const sockets = Array.from({ length: socketLimits.session }, () => `1700000000000#${newId()}`);
  await putItem(table, { pk: `SESSION#${forgotten}#SOCKETS`, sk: 'SOCKETS', sockets: new Set(sockets) });

  expect((await opened({ userId: newId(), sessionHash: forgotten })).isOpen).toBe(true);
  expect(gateway.asked).toEqual([]);
});

it('sends an event to a bystander once, beside thirty-two of two hundred sockets of one session', async () => {
  const openings = await Promise.all(Array.from({ length: flood }, () => opened(flooder)));
  const kept = await stored(openings.map(({ connectionId }) => connectionId));
  expect(kept.length).toBeLessThanOrEqual(socketLimits.session);
  expect((await opened(flooder)).isOpen).toBe(true);
  const { connectionId: bystander } = await opened({ userId: newId(), sessionHash: newId() });
  for (const connectionId of [...kept, bystander]) await listen(connectionId);
  gateway.reset();

  await stream(changeOfChat(), lambdaContext);

  expect(gateway.asked.length).toBeLessThanOrEqual(socketLimits.session + 1);
  expect(gateway.mostAtOnce).toBeLessThanOrEqual(parallelPushes);
  expect(gateway.framesOf(bystander)).toHaveLength(1);
});

it('closes a socket that takes no frame, and repeats nothing for the others', async () => {
  const [silent = '', failing = '', good = ''] = await openedInTurn(3);
  for (const connectionId of [silent, failing, good]) await listen(connectionId);
  gateway.broken.set(silent, 'silent').set(failing, 500);

  const { batchItemFailures } = await stream(changeOfChat(), lambdaContext);

  expect(batchItemFailures).toEqual([]);
  expect(gateway.framesOf(good)).toHaveLength(1);
  expect(gateway.closed.toSorted()).toEqual([silent, failing].toSorted());
  expect(await stored([silent, failing, good])).toEqual([good]);
});

it('closes a socket of a person who sends too many messages, on whichever socket, and no other', async () => {
  const [first = '', second = ''] = await openedInTurn(2);
  const other = { userId: newId(), sessionHash: newId() };
  const [bystander = ''] = await openedInTurn(1, other);
  const say = (connectionId: string, authorizer: typeof flooder) =>
    ping(
      // The edge reads nothing else of it.
      {
        requestContext: { connectionId, routeKey: 'ping', eventType: 'MESSAGE', authorizer },
        body: '{"action":"ping"}',
      } as unknown as Parameters<Ping>[0],
      lambdaContext,
    );
  const { limit, windowSeconds } = rateLimits.LIVE_MESSAGE;
  const now = new Date();
  for (const start of [0, windowSeconds].map((later) => windowStart({ windowSeconds }, now) + later))
    await putItem(table, {
      ...rateWindowKey({ name: 'LIVE_MESSAGE' }, flooder.userId, start),
      count: limit - 1,
    });

  await say(first, flooder);
  await say(second, flooder);
  await say(bystander, other);

  expect(gateway.framesOf(first)).toMatchObject([{ type: 'pong' }]);
  expect(gateway.framesOf(second)).toMatchObject([{ type: 'error', error: 'RATE_LIMIT_EXCEEDED' }]);
  expect(gateway.framesOf(bystander)).toMatchObject([{ type: 'pong' }]);
  expect(gateway.closed).toEqual([second]);
  expect(await stored([first, second])).toEqual([first]);
});
