import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatItem, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { getItems } from '../../../lambdas/domain/records/get-items.js';
import { findTask } from '../../../lambdas/domain/tasks/find-task.js';
import { type Task, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { BellQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { putItem } from '../people/a-project.js';
import { type Agent, anAgent } from './an-agent.js';
import { toolClient } from './tool-client.js';

const now = new Date();
let table: Table;
let queues: BellQueues;
let invoke: Invoke;
let calls: CallCount;
let agent: Agent;
let call: ReturnType<typeof toolClient>;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  queues = await BellQueues.create();
  invoke = await loadRoute('mcp/call');
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  calls = countCalls(table.client);
});

beforeEach(async () => {
  agent = await anAgent(table, now, { task: {} });
  call = toolClient(invoke, agent);
  calls.reset();
});

const read = async (taskId: unknown): Promise<Task> => {
  const task = await findTask(table, agent.project.projectId, String(taskId));
  if (!task) throw new Error('There is no such task');
  return task;
};
const own = () => read(agent.draft.taskId);
const put = (task: Task, change: Partial<Task>) => putItem(table, taskItem({ ...task, ...change }));
const dispatch = async (more: object = {}) =>
  (await call('dispatch_task', { description: 'Paint the gate', ...more })).value;

async function promptsOf(chatId: unknown) {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompts)',
      ExpressionAttributeValues: { ':chat': `CHAT#${chatId}`, ':prompts': 'PROMPT#' },
    }),
  );
  return Items;
}

describe('complete_task', () => {
  const evidence = {
    testsRun: [{ command: 'npm test', passed: true }],
    verifications: [{ kind: 'manual', description: 'Swung it' }],
    prUrl: 'https://example.com/pulls/1',
  };

  it('ends the task with summary and evidence, and the token with it, in three table calls', async () => {
    const { value } = await call('complete_task', { summary: 'Mended', evidence });

    expect(value).toMatchObject({ status: 'completed', instruction: expect.any(String) });
    expect(calls.names).toHaveLength(3);
    expect(await own()).toMatchObject({
      ...{ status: 'completed', outputSummary: 'Mended', completionEvidence: evidence },
      outputPrUrl: evidence.prUrl,
    });
    const again = await invoke({
      headers: { authorization: `Bearer ${agent.secret}` },
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    });
    expect(again.status).toBe(401);
  });

  it('lets a conversation wait for its person, and go on', async () => {
    agent = await anAgent(table, now, { task: { taskMode: 'conversation' } });
    call = toolClient(invoke, agent);
    const { value } = await call('complete_task', { summary: 'So far' });

    expect(value).toMatchObject({ status: 'in_progress', executionStep: 'awaiting_followup' });
    expect((await call('get_instructions')).refused).toBe(false);
  });

  it('may come before the execution has said that the agent has begun', async () => {
    await agent.put.task({ status: 'delegated', startedAt: null });
    calls.reset();

    expect((await call('complete_task', { summary: 'Quick' })).value).toMatchObject({ status: 'completed' });
    expect(calls.names).toHaveLength(4);
    expect(await own()).toMatchObject({ startedAt: expect.any(String), outputSummary: 'Quick' });
  });

  it('is not for a task that no agent was given', async () => {
    await agent.put.task({ status: 'queued' });

    expect(await call('complete_task', { summary: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'TASK_NOT_IN_STATE' },
    });
  });
});

describe('dispatch_task', () => {
  it('submits a task below one’s own, in four table calls', async () => {
    const value = await dispatch({ references: ['gate.ts'], priority: 7, agentType: 'openai-codex' });

    expect(calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      ...{ status: 'queued', title: 'Paint the gate', taskMode: 'task', dispatchDepth: 1, repeated: false },
      branchName: expect.stringMatching(/^svc\/paint-the-gate-/),
      sessionId: value.taskId,
    });
    expect(await read(value.taskId)).toMatchObject({
      ...{ parentTaskId: agent.draft.taskId, triggeredBy: 'agent', userId: agent.project.userId },
      ...{ priority: 7, description: 'Paint the gate\n\nLook at:\n- gate.ts' },
      launch: { agentType: { value: 'openai-codex', from: 'request' } },
    });
    expect(await promptsOf(value.taskId)).toMatchObject([{ kind: 'start', senderType: 'agent' }]);
    expect(await own()).toMatchObject({ subTaskCount: 1 });
  });

  it('answers a repeat with the task that is there, and ten at once with one', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => dispatch()));
    const again = await dispatch();

    expect(new Set([...replies, again].map(({ taskId }) => taskId)).size).toBe(1);
    expect(again).toMatchObject({ repeated: true, title: 'Paint the gate', dispatchDepth: 1 });
    expect(await own()).toMatchObject({ subTaskCount: 1 });
    expect((await dispatch({ idempotencyKey: 'second' })).taskId).not.toBe(again.taskId);
  });

  it('refuses a sixth sub-task, and a fourth level', async () => {
    for (const idempotencyKey of ['1', '2', '3', '4', '5']) await dispatch({ idempotencyKey });
    expect(await dispatch({ idempotencyKey: '6' })).toMatchObject({ error: 'SUB_TASK_LIMIT_REACHED' });

    agent = await anAgent(table, now, { task: { dispatchDepth: 3 } });
    call = toolClient(invoke, agent);
    expect(await dispatch()).toMatchObject({ error: 'SUB_TASK_LIMIT_REACHED' });
  });

  it('refuses an eleventh active task of the project', async () => {
    for (let made = 0; made < 2; made += 1) {
      const other = await anAgent(table, now, { project: agent.project, task: {} });
      const theirs = toolClient(invoke, other);
      for (const idempotencyKey of ['1', '2', '3', '4', '5'])
        await theirs('dispatch_task', { description: 'x', idempotencyKey });
    }

    expect(await dispatch()).toMatchObject({ error: 'TASK_CONCURRENCY_REACHED' });
    expect(await own()).toMatchObject({ subTaskCount: 0 });
  });

  it('refuses what is too long with its references', async () => {
    const references = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(500, 'x'));

    expect(await dispatch({ description: 'x'.repeat(32_000), references })).toMatchObject({
      error: 'BAD_REQUEST',
      details: [{ field: 'arguments.references' }],
    });
  });

  it('in a conversation makes a task below none', async () => {
    const talk = toolClient(invoke, await anAgent(table, now, { project: agent.project }));
    const { value } = await talk('dispatch_task', { description: 'Paint' });

    expect(await read(value.taskId)).toMatchObject({ parentTaskId: null, dispatchDepth: 0 });
  });

  it('is not for a member who may not change tasks any more', async () => {
    await agent.put.member({ role: 'viewer' });

    expect(await dispatch()).toMatchObject({ error: 'FORBIDDEN' });
  });
});

describe('stop_subtask', () => {
  it('cancels a sub-task, in four table calls, and a repeat finds it so', async () => {
    const { taskId } = await dispatch();
    calls.reset();

    const { value } = await call('stop_subtask', { taskId, reason: 'Not needed' });

    expect(value).toMatchObject({ status: 'cancelled', stopped: true });
    expect(calls.names).toHaveLength(4);
    expect((await call('stop_subtask', { taskId })).value).toMatchObject({
      status: 'cancelled',
      stopped: false,
    });
  });

  it('knows no tasks but one’s own sub-tasks', async () => {
    const other = await anAgent(table, now, { project: agent.project, task: {} });

    for (const taskId of [other.draft.taskId, agent.draft.taskId, newId()]) {
      for (const [name, more] of [
        ['stop_subtask', {}],
        ['retry_subtask', {}],
        ['send_message_to_subtask', { message: 'x' }],
      ] as const)
        expect(await call(name, { taskId, ...more }), name).toMatchObject({
          refused: true,
          value: { error: 'NOT_FOUND' },
        });
    }
  });
});

describe('retry_subtask', () => {
  it('does the work anew as it was asked for, once a task and three times in all', async () => {
    let { taskId } = await dispatch({ agentType: 'openai-codex', priority: 3 });
    expect((await call('retry_subtask', { taskId })).value).toMatchObject({ error: 'TASK_NOT_IN_STATE' });

    for (const retryCount of [1, 2, 3]) {
      await put(await read(taskId), { status: 'failed' });
      const { value } = await call('retry_subtask', { taskId });
      const repeat = await call('retry_subtask', { taskId });
      expect(repeat.value).toMatchObject({ taskId: value.taskId, repeated: true });
      expect(await read(value.taskId)).toMatchObject({
        ...{ retryOf: taskId, retryCount, description: 'Paint the gate', priority: 3 },
        launch: { agentType: { value: 'openai-codex', from: 'request' } },
      });
      ({ taskId } = value);
    }

    await put(await read(taskId), { status: 'failed' });
    expect((await call('retry_subtask', { taskId })).value).toMatchObject({ error: 'RETRY_LIMIT_REACHED' });
  });

  it('takes other words', async () => {
    const { taskId } = await dispatch();
    await put(await read(taskId), { status: 'completed' });

    const { value } = await call('retry_subtask', { taskId, newDescription: 'Paint it green' });

    expect(await read(value.taskId)).toMatchObject({ description: 'Paint it green' });
  });
});

describe('a message to another agent', () => {
  const said = { message: 'Use green', idempotencyKey: 'm-1' };

  it('is its next prompt, in the words of who sends it, in four table calls', async () => {
    const { taskId } = await dispatch();
    calls.reset();

    const { value } = await call('send_message_to_subtask', { taskId, ...said });

    expect(value).toMatchObject({ accepted: true, delivered: false, deliveryState: 'queued' });
    expect(calls.names).toHaveLength(4);
    const prompts = await promptsOf(taskId);
    expect(prompts.find(({ deliveryId }) => deliveryId === value.deliveryId)).toMatchObject({
      ...{ senderType: 'agent', senderId: agent.draft.agentSessionId, sourceTaskId: agent.draft.taskId },
      ...{ messageClass: 'deliver', sourceKind: 'agent_mailbox' },
      content: `Message from the agent of task ${agent.draft.taskId}, not from a person:\n\nUse green`,
    });
    expect(await queues.heard('PROMPTS_QUEUE_URL')).toContainEqual({ chatId: taskId });
  });

  it('is sent once under one key, and not with other words', async () => {
    const { taskId } = await dispatch();
    const first = await call('send_message_to_subtask', { taskId, ...said });
    const again = await call('send_message_to_subtask', { taskId, ...said });
    const other = await call('send_message_to_subtask', { taskId, ...said, message: 'Use red' });

    expect(again.value).toMatchObject({ deliveryId: first.value.deliveryId });
    expect(other).toMatchObject({ refused: true, value: { error: 'DELIVERY_CONFLICT' } });
    expect(await promptsOf(taskId)).toHaveLength(2);
  });

  it('goes to any task of the project, but interrupts only sub-tasks', async () => {
    const other = await anAgent(table, now, { project: agent.project, task: {} });
    const to = (targetTaskId: unknown, messageClass: string) =>
      call('send_durable_message', { targetTaskId, messageClass, message: 'Hear', metadata: { step: 1 } });
    const { taskId } = await dispatch();

    expect(await to(other.draft.taskId, 'notify')).toMatchObject({ refused: false });
    expect(await to(other.draft.taskId, 'interrupt')).toMatchObject({ value: { error: 'FORBIDDEN' } });
    expect(await to(taskId, 'interrupt')).toMatchObject({ refused: false });
    expect(await promptsOf(other.draft.taskId)).toMatchObject([
      { messageClass: 'notify', metadata: { step: 1 } },
    ]);
  });

  it('is refused where nobody will read it', async () => {
    const { taskId } = await dispatch();
    const key = chatKey(String(taskId));
    const chat = Chat.parse((await getItems(table, [key]))(key));
    await putItem(table, chatItem({ ...chat, status: 'stopped' }));

    expect(await call('send_message_to_subtask', { taskId, message: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'SESSION_ENDED' },
    });
  });

  it('is seen by its recipient before it is delivered, in four table calls', async () => {
    const other = await anAgent(table, now, { project: agent.project, task: {} });
    await call('send_durable_message', { targetTaskId: other.draft.taskId, ...said });
    const theirs = toolClient(invoke, other);
    calls.reset();

    const { value } = await theirs('get_pending_messages');

    expect(calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      messages: [
        {
          ...{ sourceTaskId: agent.draft.taskId, messageClass: 'deliver', deliveryState: 'queued' },
          content: expect.stringContaining('Use green'),
        },
      ],
    });
    expect((await call('get_pending_messages')).value).toEqual({ messages: [] });
  });
});
