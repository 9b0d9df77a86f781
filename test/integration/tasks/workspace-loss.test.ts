import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentSessionItem, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { beginSession } from '../../../lambdas/domain/agent-sessions/begin-session.js';
import { listRunningSessions } from '../../../lambdas/domain/agent-sessions/find-sessions.js';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { deliverNext } from '../../../lambdas/domain/prompts/delivery-worker.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { endLostSessions, workspaceWithSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { workspaceItem, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { WorkspaceStatus } from '../../../lambdas/domain/workspaces/workspace-status.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Log } from '../../../lambdas/shared/log.js';
import { putItem } from '../../support/project.js';
import { allSagas } from '../../support/sagas.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aPrompt, readChat, readPrompt } from '../prompts/a-chat.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['tasks/run', 'tasks/status']);
});
afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Log;

/** Ends the sessions of the task's workspace; returns the chats that it wakes. */
async function endSessions(task: Task): Promise<readonly string[]> {
  const woken: string[] = [];
  const sagas = allSagas(runs.stepFunctions);
  const wake = async (chatId: string) => void woken.push(chatId);
  const deps = { table: runs.table, sagas, wake, log: silent, now: new Date() };
  await endLostSessions(deps, String(task.workspaceId));
  return woken;
}

async function change(task: Task, set: Readonly<Record<string, unknown>>): Promise<void> {
  const key = workspaceKey(String(task.workspaceId));
  await changeItem(runs.table, { key, set, when: { exists: true } });
}

const running = async (task: Task) =>
  (await listRunningSessions(runs.table, String(task.workspaceId))).sessions;

async function expiryOfSession({ workspaceId, agentSessionId }: Task): Promise<unknown> {
  const key = agentSessionKey(String(workspaceId), String(agentSessionId));
  return (await getItem(runs.table, key))?.expiresAt;
}

const followUp = async (chat: Chat) => {
  const allowed = await readChat(runs.table, chat.chatId);
  return acceptPrompt(runs.table, aPrompt(), { chat: allowed, now: new Date() });
};

describe('a workspace that runs no agent any more', () => {
  it.each([
    ['stopping', 'stopped', 'workspace_stopped'],
    ['stopped', 'stopped', 'workspace_stopped'],
    ['errored', 'error', 'workspace_failed'],
  ] as const)(
    '%s: its sessions are suspended, and its chat is %s with the reason %s',
    async (status, shown, reason) => {
      const task = await runs.runUpTo('deliver-prompt');
      await change(task, { status });

      await endSessions(task);
      await endSessions(task);

      expect(await running(task)).toEqual([]);
      expect(await expiryOfSession(task)).toBeUndefined();
      expect([...((await runs.workspaceOf(task)).agentSessions ?? [])]).toEqual([task.agentSessionId]);
      expect(await runs.chatOf(task)).toMatchObject({ status: shown, endReason: reason });
    },
  );

  it.each(['running', 'stopped'] as const)('deleted while it is %s: its sessions end', async (status) => {
    const task = await runs.runUpTo('deliver-prompt');
    await change(task, { status });
    await endSessions(task);
    await change(task, { status: 'deleted' });

    await endSessions(task);
    await endSessions(task);

    expect(await expiryOfSession(task)).toBeGreaterThan(Date.now() / 1000 + 29 * 24 * 60 * 60);
    expect((await runs.workspaceOf(task)).agentSessions).toBeUndefined();
    expect((await runs.chatOf(task)).status).toBe('stopped');
  });

  it.each([
    'provisioning',
    'running',
    'recovering',
    'rebuilding',
    'sleeping',
  ] as const satisfies WorkspaceStatus[])(
    'keeps them while it is %s in the same generation',
    async (status) => {
      const task = await runs.runUpTo('deliver-prompt');
      await change(task, { status });

      expect(await endSessions(task)).toEqual([]);

      expect(await running(task)).toHaveLength(1);
      expect((await runs.chatOf(task)).status).toBe('active');
    },
  );

  it('suspends the sessions of earlier generations when it is restarted, and keeps those of the present one', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const { generation } = await runs.workspaceOf(task);
    const [old] = await running(task);
    if (!old) throw new Error('The task has no session');
    await change(task, { generation: generation + 1 });
    const young = { ...old, agentSessionId: newId(), generation: generation + 1, chatId: null };
    await beginSession(runs.table, young, { now: new Date() });

    await endSessions(task);

    expect((await running(task)).map(({ agentSessionId }) => agentSessionId)).toEqual([young.agentSessionId]);
    expect(await runs.chatOf(task)).toMatchObject({ status: 'stopped', endReason: 'workspace_restarted' });
  });

  it('wakes a chat with waiting prompts, which end with workspace_stopped', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const chat = await runs.chatOf(task);
    const { deliveryId } = await followUp(chat);
    await change(task, { status: 'errored', errorMessage: 'The instance of the node ended.' });

    expect(await endSessions(task)).toEqual([chat.chatId]);
    await deliverNext(runs.table, { keys: signingKeys(), now: new Date(), newId }, chat.chatId);

    expect(await readPrompt(runs.table, chat.chatId, deliveryId)).toMatchObject({
      deliveryState: 'failed',
      terminalReason: 'workspace_stopped',
    });
    await expect(followUp(chat)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('leaves a chat alone that has another agent session by now', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const [session] = await running(task);
    if (!session) throw new Error('The task has no session');
    const other = { ...session, agentSessionId: newId() };
    await putItem(runs.table, agentSessionItem(other));
    await change(task, { status: 'stopped' });
    const chat = await runs.chatOf(task);
    await changeItem(runs.table, {
      key: { pk: `CHAT#${chat.chatId}`, sk: 'CHAT' },
      set: { agentSessionId: newId() },
      when: { exists: true },
    });

    await endSessions(task);

    expect(await running(task)).toEqual([]);
    expect((await runs.chatOf(task)).status).toBe('active');
    expect((await runs.present(task)).status).toBe('in_progress');
  });
});

describe('the task of a lost workspace', () => {
  it('fails at once with the reason and its branch, and runs again in its chat', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await change(task, { status: 'errored', errorMessage: 'The instance of the node ended.' });

    await endSessions(task);

    const failed = await runs.present(task);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed.errorMessage).toContain('The instance of the node ended.');
    expect(failed.errorMessage).toContain(String(task.outputBranch));
    expect(runs.started.at(-1)).toBe(`${task.taskId}-1-end-0`);
    expect((await runs.chatOf(task)).status).toBe('error');

    await runs.end(task);
    const params = { taskId: task.taskId };
    await runs.mine.call('status', { params, body: { toStatus: 'ready' } });
    expect(await runs.mine.call('run', { params })).toMatchObject({ status: 202 });
    const again = await runs.chatOf(task);
    expect(again.status).toBe('active');
    expect(again.endReason).toBeUndefined();
  });

  it('is completed when it is a conversation, unless its workspace failed', async () => {
    const talk = { request: { taskMode: 'conversation' } } as const;
    const stopped = await runs.runUpTo('deliver-prompt', talk);
    const failed = await runs.runUpTo('deliver-prompt', talk);
    await change(stopped, { status: 'stopped' });
    await change(failed, { status: 'errored', errorMessage: 'The instance of the node ended.' });

    await endSessions(stopped);
    await endSessions(failed);

    expect(await runs.present(stopped)).toMatchObject({ status: 'completed', errorMessage: null });
    expect(await runs.present(failed)).toMatchObject({ status: 'failed' });
  });
});

it('is found in a change of the table only when it has lost the sessions that it has', async () => {
  const task = await runs.runUpTo('deliver-prompt');
  const running = await runs.workspaceOf(task);
  const workspace = { ...running, status: 'stopped' } as const;

  expect(workspaceWithSessions(workspaceItem(workspace))).toBe(workspace.workspaceId);
  expect(workspaceWithSessions(workspaceItem(running))).toBeUndefined();
  expect(workspaceWithSessions(workspaceItem({ ...workspace, agentSessions: undefined }))).toBeUndefined();
  expect(workspaceWithSessions({ entity: 'chat' })).toBeUndefined();
});
