import { createHash } from 'node:crypto';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type InboxItem, inboxKey, inboxRow } from '../../../lambdas/domain/inbox/inbox-item.js';
import { loadSubscriptions } from '../../../lambdas/domain/push/change-subscriptions.js';
import { deleteItems } from '../../../lambdas/domain/records/batch-items.js';
import { sessionKey } from '../../../lambdas/domain/sessions/session.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { lambdaContext } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { putItem } from '../../support/project.js';
import { aPerson, type Person } from '../../support/project-members.js';
import { LocalPushService, PushBrowser } from '../../support/push-service.js';

const sqs = new SQSClient({});
let routes: LoadedRoutes;
let table: Table;
let service: LocalPushService;
let queueUrl: string;
let worker: typeof import('../../../lambdas/queues/send-pushes.js').handler;
let stream: typeof import('../../../lambdas/streams/live.js').handler;
let endRights: typeof import('../../../lambdas/streams/end-rights.js').handler;
let me: Person;

beforeAll(async () => {
  service = await LocalPushService.start();
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `pushes-${newId()}` }));
  queueUrl = QueueUrl;
  const { ARN = '' } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({ Name: `push-${newId()}`, SecretString: newId() }),
  );
  Object.assign(process.env, { LOCAL_PUSH_SERVICE: service.origin });
  const { functionEnv } = await import('../../support/function-env.js');
  Object.assign(functionEnv, { PUSH_SECRET_ARN: ARN, PUSH_QUEUE_URL: queueUrl });
  routes = await loadRoutes(['inbox/list-push', 'inbox/subscribe-push', 'inbox/unsubscribe-push']);
  ({ table } = routes);
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  const answered = { output: { $metadata: {} }, response: undefined };
  stepFunctions.middlewareStack.add(() => async () => answered, { step: 'initialize', name: 'answer' });
  ({ handler: worker } = await import('../../../lambdas/queues/send-pushes.js'));
  ({ handler: stream } = await import('../../../lambdas/streams/live.js'));
  ({ handler: endRights } = await import('../../../lambdas/streams/end-rights.js'));
});
afterAll(() => service[Symbol.asyncDispose]());

beforeEach(async () => {
  me = await aPerson(table);
  service.received.length = 0;
});

const subscribe = (browser: PushBrowser, endpoint: string, { cookies }: Person = me) =>
  routes.call('inbox/subscribe-push', {
    cookies,
    body: { endpoint, expirationTime: null, keys: browser.keys },
  });
const list = async () => {
  const { status, body } = await routes.call('inbox/list-push', { cookies: me.cookies });
  expect(status).toBe(200);
  // The reply was checked against the contract.
  return body as {
    applicationServerKey: string;
    items: { id: string; host: string; isThisSession: boolean }[];
  };
};

/** An item of the inbox, whose addition the stream reports. */
async function added(change: Partial<InboxItem> = {}): Promise<InboxItem> {
  const taskId = newId();
  const item: InboxItem = {
    ...{ itemId: `task.${taskId}`, userId: me.userId, projectId: newId(), kind: 'task', reason: 'completed' },
    ...{ title: 'Mend the build', chatId: null, taskId, workspaceId: null, interactionId: null },
    ...{ deliveryId: null, sequence: null, createdAt: new Date().toISOString(), ...change },
  };
  await putItem(table, inboxRow(item));
  await report([undefined, inboxRow(item)]);
  return item;
}

type Row = Readonly<Record<string, unknown>>;

async function report(...changes: readonly (readonly [Row | undefined, Row | undefined])[]): Promise<void> {
  const image = (row: Row | undefined) => row && marshall(row, { removeUndefinedValues: true });
  const Records = changes.map(([before, after], index) => ({
    eventID: String(index),
    dynamodb: { SequenceNumber: String(index), OldImage: image(before), NewImage: image(after) },
  }));
  // What the consumer reads of an event.
  const event = { Records } as DynamoDBStreamEvent;
  for (const consume of [stream, endRights])
    expect(await consume(event, lambdaContext)).toEqual({ batchItemFailures: [] });
}

/** Takes the messages of the queue, also those that are delayed, through the worker. */
async function work(times = 1): Promise<readonly Record<string, unknown>[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
  );
  const Records = Messages.flatMap(({ Body }) =>
    Array.from({ length: times }, () => ({ messageId: newId(), body: Body, eventSourceARN: 'arn:pushes' })),
  );
  // What the consumer reads of an event.
  const reply = await worker({ Records } as unknown as SQSEvent, lambdaContext);
  expect(reply).toEqual({ batchItemFailures: [] });
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

it('each new item is sent to the browsers of its person, encrypted, with its title and link', async () => {
  const [one, two] = [new PushBrowser(), new PushBrowser()];
  const path = `/${newId()}`;
  expect((await subscribe(one, `${service.origin}${path}`)).status).toBe(200);
  expect((await subscribe(two, `${service.origin}/${newId()}`, await aPerson(table))).status).toBe(200);
  const item = await added();
  await work();

  const { applicationServerKey, items } = await list();
  expect(items).toMatchObject([{ host: '127.0.0.1', isThisSession: true }]);
  expect(JSON.stringify(items)).not.toContain(path);
  expect(service.received.map((each) => each.path)).toEqual([path]);
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = service.received;
  expect(one.read(body)).toEqual({
    ...{ id: item.itemId, kind: 'task', reason: 'completed', title: 'Mend the build' },
    link: `/projects/${item.projectId}/tasks/${item.taskId}`,
  });
  expect(() => two.read(body)).toThrow();
  expect(body.toString('latin1')).not.toContain('Mend');
  expect(headers).toMatchObject({
    ...{ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal' },
    topic: createHash('sha256').update(item.itemId).digest('base64url').slice(0, 32),
  });
  expect(headers.authorization).toMatch(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=/);
  expect(headers.authorization?.endsWith(`k=${applicationServerKey}`)).toBe(true);
});

it('an item that has ended, or that another one replaced, is not sent', async () => {
  await subscribe(new PushBrowser(), `${service.origin}/${newId()}`);
  const item = await added();
  await deleteItems(table, [inboxKey(me.userId, item.itemId)]);
  await work(2);

  expect(service.received).toEqual([]);
});

it('a browser whose session has expired gets nothing, also while the session is still stored', async () => {
  await subscribe(new PushBrowser(), `${service.origin}/${newId()}`);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: sessionKey(me.sessionHash), ConsistentRead: true }),
  );
  await putItem(table, { ...Item, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
  await added();
  await work();

  expect(service.received).toEqual([]);
  expect((await loadSubscriptions(table, me.userId)).subscriptions).toEqual([]);
});

it.each([404, 410])('a browser that answers %i is removed, the others are not', async (status) => {
  const [gone, there] = [`/${newId()}`, `/${newId()}`];
  service.answers.set(gone, status);
  for (const path of [gone, there]) await subscribe(new PushBrowser(), `${service.origin}${path}`);
  await added();
  await work(2);

  expect(service.received.map(({ path }) => path).sort()).toEqual([gone, there, there].sort());
  expect((await list()).items).toHaveLength(1);
});

it('a failure is tried again for that browser alone, three times; a refusal and a redirect are not', async () => {
  const [failing, refusing, moving, good] = [503, 400, 307, 201].map((status) => {
    const path = `/${newId()}`;
    service.answers.set(path, status);
    return path;
  });
  for (const path of [failing, refusing, moving, good])
    await subscribe(new PushBrowser(), `${service.origin}${path}`);
  const item = await added();
  const [first] = await work();
  expect(service.received.map(({ path }) => path).sort()).toEqual([failing, refusing, moving, good].sort());

  service.received.length = 0;
  const id = createHash('sha256').update(`push ${service.origin}${failing}`).digest('base64url').slice(0, 22);
  for (const attempt of [2, 3, 4]) {
    const body = JSON.stringify({ ...first, subscriptionIds: [id], attempt });
    const Records = [{ messageId: newId(), body, eventSourceARN: 'arn:pushes' }];
    // What the consumer reads of an event.
    await worker({ Records } as unknown as SQSEvent, lambdaContext);
  }
  expect(service.received.map(({ path }) => path)).toEqual([failing, failing, failing]);
  expect((await list()).items).toHaveLength(4);
  expect(first).toMatchObject({ itemId: item.itemId });
});

it('a person has ten at most, and one for each browser', async () => {
  const browser = new PushBrowser();
  const endpoints = Array.from({ length: 10 }, () => `${service.origin}/${newId()}`);
  for (const endpoint of endpoints) expect((await subscribe(browser, endpoint)).status).toBe(200);
  expect((await subscribe(new PushBrowser(), String(endpoints[3]))).status).toBe(200);
  expect(await subscribe(browser, `${service.origin}/${newId()}`)).toMatchObject({
    status: 409,
    body: { error: 'PUSH_LIMIT_REACHED' },
  });
  const { items } = await list();
  expect(items).toHaveLength(10);

  const params = { pushSubscriptionId: String(items[0]?.id) };
  const { cookies: strangers } = await aPerson(table);
  const left = [];
  for (const cookies of [strangers, me.cookies, me.cookies]) {
    expect((await routes.call('inbox/unsubscribe-push', { params, cookies })).status).toBe(200);
    left.push((await list()).items.length);
  }
  expect(left).toEqual([10, 9, 9]);
});

it('a subscription to an address of a network, or with a bad key, is refused and changes nothing', async () => {
  const { keys } = new PushBrowser();
  const endpoint = 'https://push.example.net/a';
  const bad = [
    [{ endpoint: 'https://169.254.169.254/latest', keys }, 'PUSH_ENDPOINT_REFUSED', 'body.endpoint'],
    [{ endpoint: 'http://push.example.net/a', keys }, 'PUSH_ENDPOINT_REFUSED', 'body.endpoint'],
    [{ endpoint: 'http://127.0.0.1:1/a', keys }, 'PUSH_ENDPOINT_REFUSED', 'body.endpoint'],
    [{ endpoint, keys: { ...keys, p256dh: 'B'.repeat(87) } }, 'PUSH_KEY_REFUSED', 'body.keys.p256dh'],
    [{ endpoint, keys: { ...keys, auth: 'short' } }, 'BAD_REQUEST', 'body.keys.auth'],
    [{ endpoint: 'nothing', keys }, 'BAD_REQUEST', 'body.endpoint'],
    [{ endpoint }, 'BAD_REQUEST', 'body.keys'],
  ] as const;
  for (const [body, error, field] of bad)
    expect(await routes.call('inbox/subscribe-push', { cookies: me.cookies, body })).toMatchObject({
      status: 400,
      body: { error, details: [{ field }] },
    });
  expect((await list()).items).toEqual([]);
});

it('a subscription ends with the session in which it was made', async () => {
  await subscribe(new PushBrowser(), `${service.origin}/${newId()}`);
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: sessionKey(me.sessionHash), ConsistentRead: true }),
  );
  const [before] = (await list()).items;
  await report([Item, undefined]);

  expect(before).toBeDefined();
  expect((await list()).items).toEqual([]);
});
