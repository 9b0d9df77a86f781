import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { taskCountsKey } from '../../../lambdas/domain/tasks/task-limits.js';
import { stepNames, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['chats/stop', 'tasks/run', 'tasks/status']);
});
afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

const stop = ({ projectId, taskId: sessionId }: Task) =>
  runs.routes.call('chats/stop', {
    cookies: [runs.mine.owner.cookie],
    params: { projectId, sessionId },
  });

async function at(step: (typeof stepNames)[number] | 'queued', taskMode: Task['taskMode']): Promise<Task> {
  const request = { request: { taskMode } } as const;
  return step === 'queued' ? runs.submitted(request) : runs.runUpTo(step, request);
}

describe("a stop of a task's session", () => {
  it.each(['queued', ...stepNames] as const)('cancels the task in the same request: at %s', async (step) => {
    const task = await at(step, 'task');

    expect(await stop(task)).toMatchObject({ status: 200, body: { status: 'stopped' } });

    expect(await runs.present(task)).toMatchObject({ status: 'cancelled' });
    expect((await runs.chatOf(task)).status).toBe('stopped');
    const counts = taskCountsKey(task.projectId);
    expect(await getItem(runs.table, counts)).not.toHaveProperty('activeTaskIds');
  });

  it('completes a conversation that is in progress', async () => {
    const task = await at('deliver-prompt', 'conversation');

    await stop(task);

    expect(await runs.present(task)).toMatchObject({ status: 'completed', errorMessage: null });
  });

  it('changes nothing when it is repeated, also for a task that has ended by itself', async () => {
    const task = await at('deliver-prompt', 'task');
    await stop(task);
    const before = await runs.present(task);

    expect(await stop(task)).toMatchObject({ status: 200, body: { status: 'stopped' } });

    expect(await runs.present(task)).toEqual(before);
  });
});
