import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentSession, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { endChat } from '../../../lambdas/domain/chats/change-chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { aPrompt, readChat } from '../prompts/a-chat.js';
import { stepNames, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

async function sessionOf(task: Task): Promise<AgentSession> {
  const { workspaceId, agentSessionId } = await runs.present(task);
  const key = agentSessionKey(String(workspaceId), String(agentSessionId));
  return AgentSession.parse(await getItem(runs.table, key));
}

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

describe('a cancellation', () => {
  const cancel = ({ taskId }: Task) =>
    runs.mine.call('cancel', { params: { taskId }, body: { reason: 'changed my mind' } });

  it.each([
    ['before the first step', undefined, undefined],
    ['after the workspace was made', 'create-workspace', 'stopping'],
    ['after it came to run', 'check-workspace', 'stopping'],
    ['after the agent session was made', 'create-agent-session', 'stopping'],
    ['after the agent was begun', 'deliver-prompt', 'stopping'],
  ] as const)('%s stops what follows and puts away what there is', async (_when, last, status) => {
    const task = last ? await runs.runUpTo(last) : await runs.submitted();
    expect(await cancel(task)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await cancel(task)).status).toBe(200);

    for (const name of stepNames) {
      await expect(runs.step(name, task)).rejects.toMatchObject({ name: 'TaskEnded' });
    }
    runs.started.length = 0;
    expect(await runs.end(task)).toBe(true);
    expect(await runs.end(task)).toBe(true);

    const ended = await runs.present(task);
    expect(ended).toMatchObject({ status: 'cancelled', errorMessage: null });
    expect(ended.finalizedAt).not.toBeNull();
    expect((await runs.chatOf(task)).status).toBe('stopped');
    if (!status) return;
    const workspace = await runs.workspaceOf(task);
    expect(workspace.status).toBe(status);
    // An agent has worked in the workspace, so its files stay available.
    expect(workspace.deletion === undefined).toBe(last === 'deliver-prompt');
    expect(runs.started).toHaveLength(1);
    if (!task.agentSessionId) return;
    expect((await sessionOf(task)).status).toBe('stopped');
  });
});

describe('a task that was completed', () => {
  const close = ({ taskId }: Task) => runs.mine.call('close', { params: { taskId } });

  /** Its agent has ended its turn. */
  async function completed(more: Parameters<TaskRuns['runUpTo']>[1] = {}): Promise<Task> {
    const task = await runs.runUpTo('deliver-prompt', more);
    await runs.setActivity(task, 'idle', new Date().toISOString());
    expect(await close(task)).toMatchObject({ status: 200, body: { status: 'completed' } });
    runs.started.length = 0;
    return task;
  }

  it.each(['task', 'conversation'] as const)('sleeps at once in the mode %s', async (taskMode) => {
    const task = await completed({ request: { taskMode } });

    expect(await runs.end(task)).toBe(true);

    const { workspaceId, status, sleep } = await runs.workspaceOf(task);
    expect([status, sleep]).toMatchObject(['running', { by: 'task', phase: 'capturing' }]);
    expect(runs.started).toEqual([`${workspaceId}-1-sleep-${sleep?.claimId}`]);
    expect(await sessionOf(task)).toMatchObject({ status: 'running' });
    expect((await runs.present(task)).finalizedAt).not.toBeNull();
    const chat = await readChat(runs.table, task.taskId);
    expect(chat.status).toBe('active');
    await acceptPrompt(runs.table, aPrompt(), { chat, now: new Date() });
  });

  it('waits a limited time for its agent to end the turn', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await runs.setActivity(task, 'prompting', '2026-11-21T10:00:00.000Z');
    await close(task);

    expect(await runs.end(task)).toBe(false);
    expect((await runs.present(task)).finalizedAt).toBeNull();
    expect(await runs.end(task, new Date(Date.now() + 3 * 60_000))).toBe(true);
    expect((await runs.workspaceOf(task)).status).toBe('running');
  });

  it.each([
    ['is kept awake', { keptAwakeUntil: '2999-01-01T00:00:00.000Z' }],
    ['was just used in a terminal', { lastUsedAt: '2998-01-01T00:00:00.000Z' }],
    ['sleeps already', { status: 'sleeping' }],
  ])('keeps its workspace as it is when it %s', async (_, set) => {
    const task = await completed();
    await changeItem(runs.table, {
      key: workspaceKey(String((await runs.present(task)).workspaceId)),
      set,
      when: { exists: true },
    });

    expect(await runs.end(task)).toBe(true);

    const workspace = await runs.workspaceOf(task);
    expect(workspace).toMatchObject({ status: 'running', ...set });
    expect([workspace.sleep, runs.started]).toEqual([undefined, []]);
    expect(await sessionOf(task)).toMatchObject({ status: 'running' });
  });

  it('stops its workspace when its chat was stopped', async () => {
    const task = await completed();
    await endChat(runs.table, task.taskId, new Date());

    expect(await runs.end(task)).toBe(true);

    expect((await runs.workspaceOf(task)).status).toBe('stopping');
    expect(await sessionOf(task)).toMatchObject({ status: 'stopped' });
  });
});
