import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatItem, chatKey } from '../../../lambdas/domain/chats/chat.js';
import type { WakeUpQueues } from '../../../lambdas/domain/prompts/wake-up.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { checkDueWaits, reconcileWait } from '../../../lambdas/domain/task-waits/check-wait.js';
import { findWaiters, listDueWaits, waitsOfChange } from '../../../lambdas/domain/task-waits/find-waits.js';
import {
  TaskWait,
  waitCountKey,
  waitItem,
  waitRecordKey,
} from '../../../lambdas/domain/task-waits/task-wait.js';
import { newTask, type Task, taskItem, taskKey } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { Died, DyingClient } from '../prompts/dying-client.js';
import { type Agent, anAgent } from './an-agent.js';
import { toolClient } from './tool-client.js';

/** One time per test, because the called functions use the real clock. */
let start: Date;
const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

let table: Table;
let dying: DyingClient;
let queues: TestWakeUpQueues;
let wakeUpQueues: WakeUpQueues;
let invoke: Invoke;
let agent: Agent;
let call: ReturnType<typeof toolClient>;
let children: Task[];

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  queues = await TestWakeUpQueues.create();
  invoke = await loadRoute('mcp/call');
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  dying = new DyingClient(table.client);
  ({ wakeUpQueues } = await import('../../../lambdas/edge/wake-up-queues.js'));
});

beforeEach(async () => {
  start = new Date();
  agent = await anAgent(table, start, { task: {} });
  call = toolClient(invoke, agent);
  children = await Promise.all([putChild(), putChild()]);
});

async function putChild(change: Partial<Task> = {}): Promise<Task> {
  const { projectId, userId } = agent.project;
  const child: Task = {
    ...newTask({ taskId: newId(), projectId, userId, title: 'Part' }, start),
    ...{ parentTaskId: agent.draft.taskId, status: 'in_progress' },
    ...change,
  };
  await putItem(table, taskItem(child));
  return child;
}

const end = (child: Task | undefined, status: Task['status']) =>
  child && putItem(table, taskItem({ ...child, status }));

const ref = (waitKey = 'step-1') => ({ chatId: agent.draft.chatSessionId, waitKey });
const ids = () => children.map(({ taskId }) => taskId);
const wait = (more: object = {}) => call('wait_for_subtasks', { taskIds: ids(), waitKey: 'step-1', ...more });

async function readWait() {
  const key = waitRecordKey(ref());
  return TaskWait.parse(await getItem(table, key));
}

async function readChat(): Promise<Chat> {
  const key = chatKey(agent.draft.chatSessionId);
  return Chat.parse(await getItem(table, key));
}

async function prompts() {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompts)',
      ExpressionAttributeValues: { ':chat': chatKey(agent.draft.chatSessionId).pk, ':prompts': 'PROMPT#' },
    }),
  );
  return Items;
}

async function openWaits(): Promise<number> {
  const key = waitCountKey(agent.project.projectId);
  const found = await getItem(table, key);
  return found?.waitIds instanceof Set ? found.waitIds.size : 0;
}

describe('wait_for_subtasks', () => {
  it('registers a wait, in four table calls', async () => {
    const calls = countCalls(table.client);
    const { value } = await wait();

    expect(calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      ...{ registered: true, created: true, waitKey: 'step-1', state: 'active', condition: 'all' },
      taskIds: ids(),
      instruction: expect.stringContaining('End your turn'),
    });
    const hours = (Date.parse(String(value.wakeDeadline)) - start.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    for (const taskId of ids()) expect(await findWaiters(table, taskId)).toEqual([ref()]);
  });

  it('returns the first wait for a repeat, with the tasks in any order', async () => {
    const first = await wait();
    const again = await wait({ taskIds: ids().toReversed() });

    expect(again.value).toMatchObject({ created: false, waitId: first.value.waitId, taskIds: ids() });
    expect(await openWaits()).toBe(1);
  });

  it('registers one wait for ten parallel calls', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => wait()));

    expect(new Set(replies.map(({ value }) => value.waitId)).size).toBe(1);
    expect(replies.filter(({ value }) => value.created)).toHaveLength(1);
    expect(await openWaits()).toBe(1);
  });

  it.each([
    ['other tasks', () => ({ taskIds: ids().slice(1) })],
    ['another condition', () => ({ condition: 'any' })],
    ['another time', () => ({ wakeAfterSeconds: 60 })],
  ])('refuses a key that was used with %s', async (_what, other) => {
    await wait();

    expect(await wait(other())).toMatchObject({ refused: true, value: { error: 'WAIT_KEY_REUSED' } });
  });

  it('refuses a task of another project, and the task of the caller', async () => {
    const unknown = newId();

    expect(await wait({ taskIds: [unknown] })).toMatchObject({
      refused: true,
      value: { error: 'NOT_FOUND', message: expect.stringContaining(unknown) },
    });
    expect(await wait({ taskIds: [agent.draft.taskId] })).toMatchObject({
      refused: true,
      value: { error: 'BAD_REQUEST', details: [{ field: 'arguments.taskIds' }] },
    });
    expect(await openWaits()).toBe(0);
  });

  it('refuses the 101st wait of a project', async () => {
    const waitIds = new Set(Array.from({ length: 100 }, () => newId()));
    await putItem(table, { ...waitCountKey(agent.project.projectId), waitIds });

    expect(await wait()).toMatchObject({ refused: true, value: { error: 'WAIT_LIMIT_REACHED' } });
  });
});

describe('a wait', () => {
  it('continues until all tasks have ended, and then wakes the agent with ids and states', async () => {
    const { value } = await wait();
    await end(children[0], 'completed');
    expect(await reconcileWait(table, ref(), later(1))).toBeUndefined();
    expect(await prompts()).toEqual([]);

    await end(children[1], 'failed');
    expect(await reconcileWait(table, ref(), later(2))).toEqual(expect.any(String));

    const [first, second] = ids();
    expect(await prompts()).toMatchObject([
      {
        deliveryId: value.waitId,
        sourceKind: 'parent_wakeup',
        messageClass: 'deliver',
        senderType: 'system',
        content: expect.stringContaining(`- ${first}: completed\n- ${second}: failed`),
      },
    ]);
    expect(await readWait()).toMatchObject({ state: 'resolved', resolution: 'condition_met' });
    expect((await wait()).value).toMatchObject({ created: false, state: 'resolved' });
    expect(await openWaits()).toBe(0);
    expect(await findWaiters(table, String(first))).toEqual([]);
    expect(await listDueWaits(table, later(10 ** 6), 10)).not.toContainEqual(ref());
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'with the condition any ends with the first task that is %s',
    async (status) => {
      await wait({ condition: 'any' });
      await end(children[1], status);

      expect(await reconcileWait(table, ref(), later(1))).toEqual(expect.any(String));
    },
  );

  it('counts a deleted task as ended', async () => {
    await wait();
    await end(children[0], 'completed');
    const Key = taskKey(agent.project.projectId, String(ids()[1]));
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));

    expect(await reconcileWait(table, ref(), later(1))).toEqual(expect.any(String));
    expect(await prompts()).toMatchObject([{ content: expect.stringContaining(`${ids()[1]}: deleted`) }]);
  });

  it('ends at its deadline', async () => {
    await wait({ wakeAfterSeconds: 60 });

    expect(await reconcileWait(table, ref(), later(30))).toBeUndefined();
    expect(await listDueWaits(table, later(30), 10)).not.toContainEqual(ref());
    expect(await listDueWaits(table, later(120), 10)).toContainEqual(ref());
    expect(await reconcileWait(table, ref(), later(120))).toEqual(expect.any(String));
    expect(await readWait()).toMatchObject({ resolution: 'deadline_reached' });
  });

  it('wakes the agent once when many workers check it', async () => {
    await wait();
    for (const child of children) await end(child, 'completed');

    await Promise.allSettled(Array.from({ length: 8 }, () => reconcileWait(table, ref(), later(1))));
    await reconcileWait(table, ref(), later(2));
    // A later run of the task does not change the reported statuses.
    await end(children[0], 'failed');
    await reconcileWait(table, ref(), later(3));

    expect(await prompts()).toHaveLength(1);
    expect(await readChat()).toMatchObject({ messageCount: 1, queuedPrompts: 1 });
    expect(await openWaits()).toBe(0);
  });

  it.each([1, 2, 3].flatMap((write) => [[write, 'before'] as const, [write, 'after'] as const]))(
    'wakes the agent once when the worker dies at write %i, %s it',
    async (write, when) => {
      await wait();
      for (const child of children) await end(child, 'completed');

      dying.die({ write, when });
      await expect(reconcileWait(table, ref(), later(1))).rejects.toThrow(Died);
      dying.die(undefined);
      await reconcileWait(table, ref(), later(1));

      expect(await prompts()).toHaveLength(1);
      expect(await readChat()).toMatchObject({ messageCount: 1, queuedPrompts: 1 });
      expect(await readWait()).toMatchObject({ state: 'resolved' });
      expect(await openWaits()).toBe(0);
    },
  );

  it('is cancelled when the session of its agent has ended', async () => {
    await wait();
    for (const child of children) await end(child, 'completed');
    await putItem(table, chatItem({ ...(await readChat()), status: 'stopped' }));

    expect(await reconcileWait(table, ref(), later(1))).toBeUndefined();

    expect(await prompts()).toEqual([]);
    expect(await readWait()).toMatchObject({ state: 'cancelled' });
    expect(await openWaits()).toBe(0);
  });

  it('can be registered in a conversation', async () => {
    const talk = await anAgent(table, start, { project: agent.project });
    const reply = await toolClient(invoke, talk)('wait_for_subtasks', { taskIds: ids(), waitKey: 'k' });

    expect(reply.value).toMatchObject({ registered: true });
  });
});

describe('a change of the table', () => {
  const item = (child: Task | undefined, status: Task['status']) => child && taskItem({ ...child, status });

  it('that adds a wait makes the worker check it, because its tasks can have ended already', async () => {
    await wait();
    const after = waitItem(await readWait(), start);

    expect(await waitsOfChange(table, { before: undefined, after })).toMatchObject([ref()]);
    expect(await waitsOfChange(table, { before: after, after })).toEqual([]);
  });

  it.each([
    ['in_progress', 'completed', true],
    ['queued', 'cancelled', true],
    ['queued', 'in_progress', false],
    ['failed', 'failed', false],
    ['failed', undefined, true],
    ['draft', undefined, true],
  ] as const)('of a task from %s to %s wakes who waits for it: %s', async (from, to, isAsked) => {
    await wait();
    const [child] = children;
    const after = to && item(child, to);

    const touched = await waitsOfChange(table, { before: item(child, from), after });

    expect(touched).toEqual(isAsked ? [ref()] : []);
  });

  it('of another record sends no wake-up', async () => {
    const after = chatItem(await readChat());

    expect(await waitsOfChange(table, { before: undefined, after })).toEqual([]);
    expect(await waitsOfChange(table, { before: undefined, after: undefined })).toEqual([]);
  });
});

it('the sweep ends a wait whose wake-up was lost, and one failing wait does not block the others', async () => {
  await wait({ waitKey: 'lost' });
  await wait();
  for (const child of children) await end(child, 'completed');
  const { pk, sk } = waitRecordKey(ref('lost'));
  await changeItem(table, { key: { pk, sk }, set: { condition: 'broken' }, when: { exists: true } });

  await checkDueWaits({ table, wakeUpQueues, now: later(400), log: silent });
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));

  expect(await readWait()).toMatchObject({ state: 'resolved' });
  expect(await queues.receive('WAKE_UP_QUEUE_URL')).toEqual([{ chatId: agent.draft.chatSessionId }]);
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
