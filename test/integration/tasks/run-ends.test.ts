import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentSession, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { stepNames, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

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
    const key = agentSessionKey(workspace.workspaceId, task.agentSessionId);
    expect(AgentSession.parse((await getItems(runs.table, [key]))(key)).status).toBe('stopped');
  });
});

describe('a task that was completed', () => {
  it('waits a limited time for its agent to end the turn', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await runs.setActivity(task, 'prompting', '2026-11-21T10:00:00.000Z');
    const closed = await runs.mine.call('close', { params: { taskId: task.taskId } });

    expect(closed).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await runs.end(task)).toBe(false);
    expect((await runs.workspaceOf(task)).status).toBe('running');
    expect(await runs.end(task, new Date(Date.now() + 3 * 60_000))).toBe(true);
    expect((await runs.workspaceOf(task)).status).toBe('stopping');
  });
});
