import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatItem, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

describe('stop_subtask', () => {
  it('cancels a subtask in four table calls, and a repeat returns the same status', async () => {
    const { taskId } = await tools.dispatch();
    tools.calls.reset();

    const { value } = await tools.call('stop_subtask', { taskId, reason: 'Not needed' });

    expect(value).toMatchObject({ status: 'cancelled', stopped: true });
    expect(tools.calls.names).toHaveLength(4);
    expect((await tools.call('stop_subtask', { taskId })).value).toMatchObject({
      status: 'cancelled',
      stopped: false,
    });
  });

  it('finds only subtasks of the caller’s task', async () => {
    const other = await tools.another();

    for (const taskId of [other.draft.taskId, tools.agent.draft.taskId, newId()]) {
      for (const [name, more] of [
        ['stop_subtask', {}],
        ['retry_subtask', {}],
        ['send_message_to_subtask', { message: 'x' }],
      ] as const)
        expect(await tools.call(name, { taskId, ...more }), name).toMatchObject({
          refused: true,
          value: { error: 'NOT_FOUND' },
        });
    }
  });
});

describe('a message to another agent', () => {
  const said = { message: 'Use green', idempotencyKey: 'm-1' };

  it('is its next prompt, labelled with its sender, in four table calls', async () => {
    const { taskId } = await tools.dispatch();
    tools.calls.reset();

    const { value } = await tools.call('send_message_to_subtask', { taskId, ...said });

    expect(value).toMatchObject({ accepted: true, delivered: false, deliveryState: 'queued' });
    expect(tools.calls.names).toHaveLength(4);
    const prompts = await tools.promptsOf(taskId);
    expect(prompts.find(({ deliveryId }) => deliveryId === value.deliveryId)).toMatchObject({
      ...{
        senderType: 'agent',
        senderId: tools.agent.draft.agentSessionId,
        sourceTaskId: tools.agent.draft.taskId,
      },
      ...{ messageClass: 'deliver', sourceKind: 'agent_mailbox' },
      content: `Message from the agent of task ${tools.agent.draft.taskId}, not from a person:\n\nUse green`,
    });
    expect(await tools.queues.receive('WAKE_UP_QUEUE_URL')).toContainEqual({ chatId: taskId });
  });

  it('is sent once with one key, and refused with other content', async () => {
    const { taskId } = await tools.dispatch();
    const first = await tools.call('send_message_to_subtask', { taskId, ...said });
    const again = await tools.call('send_message_to_subtask', { taskId, ...said });
    const other = await tools.call('send_message_to_subtask', { taskId, ...said, message: 'Use red' });

    expect(again.value).toMatchObject({ deliveryId: first.value.deliveryId });
    expect(other).toMatchObject({ refused: true, value: { error: 'DELIVERY_CONFLICT' } });
    expect(await tools.promptsOf(taskId)).toHaveLength(2);
  });

  it('goes to any task of the project, but interrupts only subtasks', async () => {
    const other = await tools.another();
    const to = (targetTaskId: unknown, messageClass: string) =>
      tools.call('send_durable_message', {
        targetTaskId,
        messageClass,
        message: 'Read',
        metadata: { step: 1 },
      });
    const { taskId } = await tools.dispatch();

    expect(await to(other.draft.taskId, 'notify')).toMatchObject({ refused: false });
    expect(await to(other.draft.taskId, 'interrupt')).toMatchObject({ value: { error: 'FORBIDDEN' } });
    expect(await to(taskId, 'interrupt')).toMatchObject({ refused: false });
    expect(await tools.promptsOf(other.draft.taskId)).toMatchObject([
      { messageClass: 'notify', metadata: { step: 1 } },
    ]);
  });

  it('is refused when no agent can read it', async () => {
    const { taskId } = await tools.dispatch();
    const key = chatKey(String(taskId));
    const chat = Chat.parse(await getItem(tools.table, key));
    await putItem(tools.table, chatItem({ ...chat, status: 'stopped' }));

    expect(await tools.call('send_message_to_subtask', { taskId, message: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'SESSION_ENDED' },
    });
  });

  it('is listed for its recipient before delivery, in four table calls', async () => {
    const other = await tools.another();
    await tools.call('send_durable_message', { targetTaskId: other.draft.taskId, ...said });
    tools.calls.reset();

    const { value } = await tools.call('get_pending_messages', {}, other);

    expect(tools.calls.names).toHaveLength(4);
    expect(value).toMatchObject({
      messages: [
        {
          ...{ sourceTaskId: tools.agent.draft.taskId, messageClass: 'deliver', deliveryState: 'queued' },
          content: expect.stringContaining('Use green'),
        },
      ],
    });
    expect((await tools.call('get_pending_messages')).value).toEqual({ messages: [] });
  });
});
