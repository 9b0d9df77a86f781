import type { SQSEvent } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { recordActivity } from '../../../lambdas/domain/chats/chat-activity.js';
import { allowSystem } from '../../../lambdas/domain/policy/allow.js';
import { acceptPrompt, type PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { attemptDelivery } from '../../../lambdas/domain/prompts/delivery-attempt.js';
import { newChatWithPrompt } from '../../../lambdas/domain/prompts/start-chat.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { lambdaContext } from '../../support/invoke.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aChat, aPrompt, chatOnNode, putMembership, queueOf, readChat, readPrompt } from './a-chat.js';
import { PromptNode } from './prompt-node.js';

let table: Table;
let calls: CallCount;
let queues: TestWakeUpQueues;
let worker: typeof import('../../../lambdas/queues/deliver-prompts.js').handler;
let sweep: typeof import('../../../lambdas/sweeps/resend-wake-ups.js').handler;
let node: PromptNode;
let chat: Chat;

beforeAll(async () => {
  Object.assign(process.env, functionEnv, { TABLE_NAME: (await emptyTable()).name });
  queues = await TestWakeUpQueues.create();
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  ({ handler: worker } = await import('../../../lambdas/queues/deliver-prompts.js'));
  ({ handler: sweep } = await import('../../../lambdas/sweeps/resend-wake-ups.js'));
  calls = countCalls(table.client);
});

beforeEach(async () => {
  node = await PromptNode.start();
  chat = await chatOnNode(table, node);
  return () => node[Symbol.asyncDispose]();
});

async function send(asked: Partial<PromptRequest> = {}, now = new Date()): Promise<string> {
  const present = await readChat(table, chat.chatId);
  return (await acceptPrompt(table, aPrompt(asked), { chat: present, now })).deliveryId;
}

/** Calls the worker as SQS does. */
async function ringOf(body: unknown = { chatId: chat.chatId }) {
  const record = { messageId: 'm', body: JSON.stringify(body), eventSourceARN: 'arn:aws:sqs:::prompts.fifo' };
  // The edge reads nothing else of it.
  return worker({ Records: [record] } as unknown as SQSEvent, lambdaContext);
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('the worker', () => {
  it('delivers the first prompt in at most six table calls, and nothing when no prompt waits', async () => {
    await send({ content: 'one' });

    calls.reset();
    expect(await ringOf()).toEqual({ batchItemFailures: [] });
    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(6);
    await ringOf();

    expect(node.taken).toEqual(['one']);
  });

  it('delivers queued prompts in order, each after the agent has finished the one before', async () => {
    for (const content of ['one', 'two', 'three']) await send({ content });

    for (let turn = 0; turn < 3; turn += 1) {
      await ringOf();
      await ringOf();
      expect(node.taken).toHaveLength(turn + 1);
      node.endTurn();
      await putIdle();
    }

    expect(node.taken).toEqual(['one', 'two', 'three']);
    expect(await queueOf(table, chat.chatId)).toEqual([]);
  });

  it('sends a delayed wake-up for a retry, and an immediate one for the next prompt', async () => {
    node.isBusy = true;
    const first = await send({ content: 'one' });
    await ringOf();
    expect(await readPrompt(table, chat.chatId, first)).toMatchObject({ deliveryState: 'retry_wait' });
    node.endTurn();

    await send({ content: 'two' });
    await putIdle();
    await ringOf();

    expect(node.taken).toEqual(['one']);
    expect(await queues.receive('WAKE_UP_QUEUE_URL')).toContainEqual({ chatId: chat.chatId });
  });

  it('leaves the prompt that starts an agent, and all later ones, to the task run', async () => {
    const begun = newChatWithPrompt(
      { ...aChat(), topic: null, workspaceId: null, taskId: newId() },
      aPrompt({ content: 'begin' }),
      new Date(),
    );
    await transact(table, begun.writes);
    chat = allowSystem('chat.prompt', begun.chat);
    await putMembership(table, chat);
    await send({ content: 'hurry', messageClass: 'interrupt' });

    await ringOf();

    expect(node.taken).toEqual([]);
    const start = { chatId: chat.chatId, deliveryId: chat.startDeliveryId ?? '' };
    const parts = { keys: signingKeys(), now: new Date(), newId };
    expect(await attemptDelivery(table, parts, start)).toMatchObject({ outcome: 'retry', at: null });
    const linked = await chatOnNode(table, node, chat);
    expect(
      await attemptDelivery(
        table,
        { ...parts, start: { agentType: 'openai-codex', injectedInstructions: 'I' } },
        start,
      ),
    ).toMatchObject({ outcome: 'delivered' });
    expect(node.stub.requests.at(-1)?.body).toMatchObject({
      agentType: 'openai-codex',
      injectedInstructions: 'I',
      initialPrompt: 'begin',
    });
    await ringOf({ chatId: linked.chatId });
    expect(node.taken).toEqual(['begin', 'hurry']);
  });

  it('drops a malformed wake-up', async () => {
    expect(await ringOf({ chat: 1 })).toEqual({ batchItemFailures: [] });
    expect(await ringOf({ chatId: newId() })).toEqual({ batchItemFailures: [] });
  });
});

describe('the sweep', () => {
  it('sends a lost wake-up again, with one table call beside those for waits, interactions and events', async () => {
    await send({}, minutesAgo(1));

    calls.reset();
    await sweep({}, lambdaContext);

    expect(calls.names).toEqual(Array.from({ length: 5 }, () => 'QueryCommand'));
    expect(await received()).toContainEqual({ chatId: chat.chatId });
  });

  it('does not wake a chat whose prompt is new, settled or due for a later retry', async () => {
    await send();
    const other = await chatOnNode(table, node);
    await sweep({}, lambdaContext);
    const wakeUps = await received();
    expect(wakeUps).not.toContainEqual({ chatId: chat.chatId });
    expect(wakeUps).not.toContainEqual({ chatId: other.chatId });

    await ringOf();
    await sweep({}, lambdaContext);
    expect(await received()).not.toContainEqual({ chatId: chat.chatId });
  });
});

const received = () => queues.receive('DELAYED_WAKE_UP_QUEUE_URL');

async function putIdle(): Promise<void> {
  const report = {
    activity: 'idle',
    nodeId: newId(),
    workspaceId: newId(),
    generation: 1,
    restartCount: 0,
  } as const;
  await recordActivity(table, await readChat(table, chat.chatId), { report, now: new Date() });
}
