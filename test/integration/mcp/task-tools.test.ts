import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { messageKey } from '../../../lambdas/domain/chats/message.js';
import { allowSystem } from '../../../lambdas/domain/policy/allow.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { listTaskEvents } from '../../../lambdas/domain/tasks/task-events.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { sharedTable } from '../../support/table.js';
import { type Agent, anAgent } from './an-agent.js';
import { toolClient } from './tool-client.js';

const table = sharedTable();
const now = new Date();
let invoke: Invoke;
let calls: CallCount;
let agent: Agent;
let call: ReturnType<typeof toolClient>;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  invoke = await loadRoute('mcp/call');
  const { table: own } = await import('../../../lambdas/shared/clients/documents.js');
  calls = countCalls(own.client);
});

beforeEach(async () => {
  agent = await anAgent(table, now, { task: {} });
  call = toolClient(invoke, agent);
  calls.reset();
});

async function readChat(): Promise<Chat> {
  const key = chatKey(agent.draft.chatSessionId);
  return Chat.parse(await getItem(table, key));
}

async function readMessage(sequence: number) {
  const key = messageKey(agent.draft.chatSessionId, sequence);
  return await getItem(table, key);
}

describe('get_instructions', () => {
  it('returns the task, its branch and the rules of completion', async () => {
    const { value } = await call('get_instructions');

    expect(value).toMatchObject({
      context: { type: 'task' },
      task: {
        id: agent.draft.taskId,
        title: 'Mend the gate',
        description: 'Mend the gate, and paint it',
        outputBranch: 'svc/mend-the-gate',
      },
      session: { topic: 'A talk' },
    });
    expect(JSON.stringify(value.instructions)).toContain('svc/mend-the-gate');
    expect(calls.names).toHaveLength(2);
  });
});

describe('update_task_status', () => {
  it('adds an event to the task, and does not change its status', async () => {
    const { value } = await call('update_task_status', { message: 'The hinge is off' });

    expect(value).toMatchObject({ status: 'in_progress', recorded: true });
    expect(calls.names).toHaveLength(3);
    const { events } = await listTaskEvents(table, String(agent.draft.taskId), { limit: 10, cursorKey: 'k' });
    expect(events).toMatchObject([
      {
        fromStatus: 'in_progress',
        toStatus: 'in_progress',
        actorType: 'agent',
        actorId: agent.draft.agentSessionId,
        reason: 'The hinge is off',
      },
    ]);
  });

  it('is refused when the member has lost the right to change tasks', async () => {
    await agent.put.member({ role: 'viewer' });

    expect(await call('update_task_status', { message: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'FORBIDDEN' },
    });
  });

  it('is refused in a conversation', async () => {
    const talk = toolClient(invoke, await anAgent(table, now));

    expect(await talk('update_task_status', { message: 'x' })).toMatchObject({
      refused: true,
      value: { error: 'TASK_REQUIRED' },
    });
  });
});

describe('request_human_input', () => {
  const question = { context: 'Green or red?', category: 'decision', options: ['green', 'red'] };

  it('asks in the chat, and shows that the chat needs attention until the person answers', async () => {
    const { value } = await call('request_human_input', question);

    expect(value).toMatchObject({ requested: true });
    expect(calls.names).toHaveLength(3);
    const asked = await readChat();
    expect(asked).toMatchObject({ attention: question, lastSequence: 1, messageCount: 1 });
    expect(await readMessage(1)).toMatchObject({
      messageId: asked.attention?.messageId,
      role: 'system',
      content: 'Green or red?\n- green\n- red',
      toolMetadata: { kind: 'human_input_request', options: ['green', 'red'] },
    });

    await say('human', 'green');
    expect(await readChat()).not.toHaveProperty('attention');
  });

  it('asks once when the call is repeated', async () => {
    for (const _ of ['lost', 'again']) await call('request_human_input', question);

    expect(await readChat()).toMatchObject({ messageCount: 1 });
  });

  it('stays open after a message of another agent', async () => {
    await call('request_human_input', question);
    await say('agent', 'green');

    expect(await readChat()).toMatchObject({ attention: question });
  });

  async function say(senderType: 'human' | 'agent', content: string) {
    await acceptPrompt(
      table,
      {
        ...{ deliveryId: newId(), promptMessageId: newId(), senderType, senderId: newId(), content },
        ...{ sourceKind: 'user_followup', messageClass: 'deliver' },
      },
      { chat: allowSystem('chat.prompt', await readChat()), now },
    );
  }
});

describe('tasks of the project', () => {
  const putTask = async (asked: Partial<Parameters<typeof newTask>[0]> = {}) => {
    const { projectId, userId } = agent.project;
    const task = newTask({ taskId: newId(), projectId, userId, title: 'Another', ...asked }, now);
    await putItem(table, taskItem(task));
    return task;
  };

  it('are listed newest first, without the task of the caller unless requested', async () => {
    const first = await putTask({ title: 'First' });
    const second = await putTask({ title: 'Second', description: 'Long' });

    const { value } = await call('list_tasks');
    const all = await call('list_tasks', { include_own: true, limit: 50 });

    expect(value).toMatchObject({ tasks: [{ id: second.taskId }, { id: first.taskId }], hasMore: false });
    expect(JSON.stringify(value)).not.toContain('Long');
    expect(all.value.tasks).toHaveLength(3);
    expect((await call('list_tasks', { limit: 1 })).value).toMatchObject({ hasMore: true });
    expect((await call('list_tasks', { status: 'completed' })).value).toMatchObject({ tasks: [] });
  });

  it('are returned with details, in at most four table calls', async () => {
    const { taskId } = await putTask({ description: 'All of it' });

    calls.reset();
    const { value } = await call('get_task_details', { taskId });

    expect(value).toMatchObject({ id: taskId, description: 'All of it', dependencies: [], blocked: false });
    expect(calls.names.length).toBeLessThanOrEqual(4);
  });

  it('are found only within the project', async () => {
    const other = aProject();
    const { taskId } = await putTask({ projectId: other.projectId });

    expect(await call('get_task_details', { taskId })).toMatchObject({
      refused: true,
      value: { error: 'NOT_FOUND' },
    });
  });
});
