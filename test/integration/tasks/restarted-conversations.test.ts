import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endSession } from '../../../lambdas/domain/agent-sessions/end-session.js';
import { findAgentSession } from '../../../lambdas/domain/agent-sessions/find-sessions.js';
import { endChat } from '../../../lambdas/domain/chats/change-chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Log } from '../../../lambdas/shared/log.js';
import { allSagas } from '../../support/sagas.js';
import { aPrompt, messagesOf, readChat } from '../prompts/a-chat.js';
import { loadStep, type RunStep } from '../workspaces/load-step.js';
import { answerAsNode, TaskRuns } from './task-runs.js';

let runs: TaskRuns;
let step: RunStep;

beforeAll(async () => {
  runs = await TaskRuns.start(['tasks/run', 'tasks/status']);
  step = await loadStep('provision-workspace/resume-sessions');
});
afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Log;

const change = (task: Task, set: Readonly<Record<string, unknown>>) =>
  changeItem(runs.table, { key: workspaceKey(String(task.workspaceId)), set, when: { exists: true } });

/** What the stream does with the change of a workspace. */
async function follow(task: Task): Promise<void> {
  const deps = { table: runs.table, sagas: allSagas(runs.stepFunctions), wake: async () => {}, log: silent };
  await endLostSessions({ ...deps, now: new Date() }, String(task.workspaceId));
}

/** A conversation whose workspace stopped or failed. */
async function ended(status: 'stopped' | 'errored'): Promise<Task> {
  const task = await runs.runUpTo('deliver-prompt', { request: { taskMode: 'conversation' } });
  await change(task, { status });
  await follow(task);
  runs.node.requests = [];
  return task;
}

/** Its node has the conversation of the former generation, or nothing. */
async function restarted(task: Task, acpSessionId: string | null, status = 'running'): Promise<void> {
  runs.node.onRequest = async (request) => {
    const answer = answerAsNode(request);
    const isNew = answer?.status === 201;
    return isNew ? { ...answer, body: { ...answer.body, acpSessionId, status } } : answer;
  };
  const { workspaceId, generation, nodeId } = await runs.workspaceOf(task);
  await change(task, { status: 'running', generation: generation + 1 });
  await step({ workspaceId, generation: generation + 1, nodeId });
  await step({ workspaceId, generation: generation + 1, nodeId });
}

const sessionOf = ({ workspaceId, agentSessionId }: Task) =>
  findAgentSession(runs.table, String(workspaceId), String(agentSessionId));

describe('the conversation of a workspace that is restarted', () => {
  it.each(['stopped', 'errored'] as const)('after it was %s continues with its agent', async (status) => {
    const task = await ended(status);
    const messages = await messagesOf(runs.table, task.taskId);
    expect(await sessionOf(task)).toMatchObject({ status: 'suspended' });

    await restarted(task, 'the-conversation');
    await runs.end(task);

    expect(await sessionOf(task)).toMatchObject({ status: 'running', generation: 2 });
    const chat = await readChat(runs.table, task.taskId);
    expect(chat).toMatchObject({ status: 'active', isStarted: true });
    expect([chat.endReason, chat.endedAt]).toEqual([undefined, null]);
    expect(await messagesOf(runs.table, task.taskId)).toEqual(messages);
    expect((await runs.workspaceOf(task)).status).toBe('running');
    const [created, ...more] = runs.node.requests;
    expect(created?.body).toMatchObject({
      sessionId: task.agentSessionId,
      mcpServers: [{ token: expect.any(String) }],
    });
    // Of a running workspace it only reads what the execution has changed.
    expect(more.filter(({ method }) => method !== 'GET')).toEqual([]);
    await acceptPrompt(runs.table, aPrompt(), { chat, now: new Date() });
  });

  it('without its former files begins with another agent, and the chat says so', async () => {
    const task = await ended('errored');

    await restarted(task, null);

    const chat = await readChat(runs.table, task.taskId);
    expect(chat.status).toBe('active');
    expect(chat.isStarted).toBeUndefined();
    expect((await messagesOf(runs.table, task.taskId)).at(-1)).toMatchObject({
      content: expect.stringContaining('restarted without its former files'),
    });
  });

  it('ends when a person stopped its chat or its agent session before', async () => {
    const [chatStopped, sessionStopped] = [await ended('errored'), await ended('stopped')];
    const now = new Date();
    await endChat(runs.table, chatStopped.taskId, now);
    await changeItem(runs.table, {
      key: { pk: `CHAT#${chatStopped.taskId}`, sk: 'CHAT' },
      remove: ['endReason'],
      when: { exists: true },
    });
    const session = await sessionOf(sessionStopped);
    if (session) await endSession(runs.table, session, { now });

    await restarted(chatStopped, 'the-conversation');
    await restarted(sessionStopped, 'the-conversation');

    for (const task of [chatStopped, sessionStopped]) {
      expect((await sessionOf(task))?.status).toBe('stopped');
      expect((await readChat(runs.table, task.taskId)).status).toBe('stopped');
    }
    expect(runs.node.requests).toEqual([]);
  });

  it('ends when the node has ended its agent session', async () => {
    const task = await ended('stopped');

    await restarted(task, null, 'stopped');

    expect((await sessionOf(task))?.status).toBe('stopped');
    expect((await readChat(runs.table, task.taskId)).status).toBe('stopped');
  });

  it('stays suspended while another stop comes first', async () => {
    const task = await ended('stopped');
    runs.node.onRequest = async (request) => {
      if (answerAsNode(request)?.status === 201) await change(task, { status: 'stopping' });
      return answerAsNode(request);
    };
    const { workspaceId, nodeId } = await runs.workspaceOf(task);
    await change(task, { status: 'running', generation: 2 });

    await step({ workspaceId, generation: 2, nodeId });

    expect(await sessionOf(task)).toMatchObject({ status: 'suspended', generation: 1 });
    expect((await readChat(runs.table, task.taskId)).status).toBe('stopped');
  });

  it('continues when the stream follows the stop after the restart', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await restarted(task, 'the-conversation');

    await follow(task);

    expect(await sessionOf(task)).toMatchObject({ status: 'running', generation: 2 });
    expect((await readChat(runs.table, task.taskId)).status).toBe('active');
  });

  it('makes room for another run of its task', async () => {
    const task = await ended('errored');
    await runs.end(task);
    await restarted(task, 'the-conversation');
    const params = { taskId: task.taskId };

    await runs.mine.call('status', { params, body: { toStatus: 'ready' } });

    expect(await runs.mine.call('run', { params })).toMatchObject({ status: 202 });
    expect((await readChat(runs.table, task.taskId)).agentSessionId).toBeNull();
  });
});
