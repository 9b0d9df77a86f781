import { beforeAll, beforeEach, expect, it } from 'vitest';
import { fullTrust } from '../../../lambdas/domain/launch/launch-trust.js';
import { resolveLaunch } from '../../../lambdas/domain/launch/resolve-launch.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { readPrompt } from '../prompts/a-chat.js';
import { type Agent, anAgent } from './an-agent.js';
import { toolClient } from './tool-client.js';

const now = new Date();
let table: Table;
let invoke: Invoke;
let calls: CallCount;
let reader: Agent;
let read: ReturnType<typeof toolClient>;
let sent: Record<string, unknown>;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  await TestWakeUpQueues.create();
  invoke = await loadRoute('mcp/call');
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  calls = countCalls(table.client);
});

beforeEach(async () => {
  reader = await anAgent(table, now, { task: {} });
  read = toolClient(invoke, reader);
  sent = await send();
});

async function send() {
  const sender = await anAgent(table, now, { project: reader.project, task: {} });
  const { value } = await toolClient(invoke, sender)('send_durable_message', {
    ...{ targetTaskId: reader.draft.taskId, message: 'Use green', idempotencyKey: 'm-1' },
  });
  return value;
}

const record = () => readPrompt(table, reader.draft.chatSessionId, String(sent.messageId));

it('acknowledges a message by the id that sender and reader have, in four table calls', async () => {
  const { messageId } = sent;
  expect((await read('get_pending_messages')).value).toMatchObject({
    messages: [{ messageId, ackRequired: true, deliveryState: 'queued' }],
  });
  calls.reset();

  expect(await read('ack_message', { messageId })).toMatchObject({
    refused: false,
    value: { acknowledged: true, deliveryState: 'acked' },
  });

  expect(calls.names).toHaveLength(4);
  expect((await read('ack_message', { messageId })).value).toMatchObject({ acknowledged: true });
  expect((await read('get_pending_messages')).value).toEqual({ messages: [] });
  expect(await record()).toMatchObject({ deliveryState: 'acked', ackedAt: expect.any(String) });
});

it('finds only messages to the caller', async () => {
  const other = toolClient(invoke, await anAgent(table, now, { project: reader.project, task: {} }));

  for (const messageId of [sent.messageId, newId()])
    expect(await other('ack_message', { messageId })).toMatchObject({
      refused: true,
      value: { error: 'NOT_FOUND' },
    });
  expect(await record()).toMatchObject({ deliveryState: 'queued' });
});

it('is not required from an agent without tools', async () => {
  const launch = resolveLaunch({ request: { agentType: 'amp' } }, fullTrust);
  reader = await anAgent(table, now, { task: { launch } });

  sent = await send();

  expect(await record()).toMatchObject({ ackRequired: false, ackTimeoutMs: null });
});
