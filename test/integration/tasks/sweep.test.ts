import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatKey } from '../../../lambdas/domain/chats/chat.js';
import { recordAgentHeartbeat } from '../../../lambdas/domain/nodes/agent-heartbeat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { type Task, taskKey } from '../../../lambdas/domain/tasks/task.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepTask } from '../../../lambdas/sweeps/sweep-task.js';
import { allSagas } from '../../support/sagas.js';
import { testObjects } from '../../support/uploads.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const longAgo = inMinutes(-5 * 60);

describe('the sweep', () => {
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  } as unknown as Sweep['log'];
  const later = (minutes: number): Sweep => ({
    table: runs.table,
    stepFunctions: runs.stepFunctions,
    budgets: newBudgets(),
    fleet: { client: {} as Sweep['fleet']['client'], deploymentId: 'test' },
    zone: undefined,
    objects: testObjects(),
    sagas: allSagas(runs.stepFunctions),
    now: new Date(Date.now() + minutes * 60_000),
    log,
  });

  it('starts an execution that was not started, and the cleanup of one that has ended', async () => {
    const task = await runs.submitted();
    expect(await sweepTask(later(1), task)).toBe(false);
    expect(runs.started).toEqual([]);
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(runs.started).toEqual([`${task.taskId}-1-run`]);

    await runs.mine.call('cancel', { params: { taskId: task.taskId }, body: {} });
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(runs.started.at(-1)).toBe(`${task.taskId}-1-end-0`);
    await runs.end(task);
    expect(await sweepTask(later(3), task)).toBe(true);
  });

  it('fails a task whose workspace was lost with its node, and names the reason and the branch', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await changeItem(runs.table, {
      key: workspaceKey(String(task.workspaceId)),
      set: {
        status: 'errored',
        errorMessage: 'Its node is gone.',
        statusChangedAt: new Date().toISOString(),
      },
      when: { exists: true },
    });
    await sweepTask(later(1), task);
    expect((await runs.present(task)).status).toBe('in_progress');
    await sweepTask(later(6), task);

    const failed = await runs.present(task);
    expect(failed.status).toBe('failed');
    expect(failed.errorMessage).toContain('Its node is gone.');
    expect(failed.errorMessage).toContain(String(task.outputBranch));
  });

  async function startedHoursAgo(): Promise<Task> {
    const task = await runs.runUpTo('deliver-prompt');
    await changeItem(runs.table, {
      key: taskKey(task.projectId, task.taskId),
      set: { startedAt: longAgo },
      when: { exists: true },
    });
    return task;
  }

  const aDayAgo = new Date(Date.now() - 25 * 60 * 60_000).toISOString();

  /** A conversation of the day before yesterday, with these fields of its chat. */
  async function conversation(fields: Record<string, unknown>): Promise<Task> {
    const task = await runs.runUpTo('deliver-prompt', { request: { taskMode: 'conversation' } });
    await beat(task);
    const key = taskKey(task.projectId, task.taskId);
    await changeItem(runs.table, { key, set: { startedAt: aDayAgo }, when: { exists: true } });
    await changeItem(runs.table, { key: chatKey(task.taskId), set: fields, when: { exists: true } });
    return task;
  }

  it('completes a conversation without a message for 24 hours, and keeps one that was written in', async () => {
    const written = await conversation({ lastMessageAt: longAgo });
    const quiet = await conversation({ lastMessageAt: aDayAgo });

    await sweepTask(later(0), written);
    await sweepTask(later(0), quiet);

    expect(await runs.present(written)).toMatchObject({ status: 'in_progress' });
    expect(await runs.present(quiet)).toMatchObject({ status: 'completed', errorMessage: null });
  });

  const wake = {
    operationId: '01K0000000000000000000000W',
    claimedAt: longAgo,
    attempt: 1,
    phase: 'placing',
  } as const;
  it.each([
    ['sleeps', { status: 'sleeping' }],
    ['waits for a node to wake', { status: 'pending', wake, nodeId: null }],
    ['is restored', { status: 'running', wake: { ...wake, phase: 'restoring' } }],
  ])('keeps a conversation whose workspace %s', async (_, fields) => {
    const task = await conversation({ lastMessageAt: aDayAgo });
    const key = workspaceKey(String(task.workspaceId));
    await changeItem(runs.table, { key, set: fields, when: { exists: true } });

    await sweepTask(later(0), task);

    expect(await runs.present(task)).toMatchObject({ status: 'in_progress' });
  });

  it.each([
    ['after the task was read', 'sleeping', longAgo],
    ['before its node reported', 'in_progress', inMinutes(4)],
  ])('keeps an old conversation that woke %s', async (_, status, at) => {
    const restore = { status: 'restored', message: null, missing: [], at };
    const task = await conversation({ lastMessageAt: aDayAgo, restore });
    const key = taskKey(task.projectId, task.taskId);
    await changeItem(runs.table, { key, set: { status, startedAt: longAgo }, when: { exists: true } });

    await sweepTask(later(6), task);

    expect(await runs.present(task)).toMatchObject({ status });
  });

  it('keeps a conversation that a person has woken without a message', async () => {
    const restore = { status: 'restored', message: null, missing: [], at: longAgo };
    const woken = await conversation({ lastMessageAt: aDayAgo, restore });

    await sweepTask(later(0), woken);

    expect(await runs.present(woken)).toMatchObject({ status: 'in_progress' });
  });

  async function beat({ projectId, ...task }: Task): Promise<void> {
    const { nodeId } = await runs.workspaceOf({ projectId, ...task });
    await recordAgentHeartbeat(runs.table, {
      nodeId: String(nodeId),
      projectId,
      reporter: undefined,
      now: new Date(),
    });
  }

  it('ends a task past its deadline only when its agent shows no activity', async () => {
    const task = await startedHoursAgo();

    await runs.setActivity(task, 'prompting', new Date().toISOString());
    await sweepTask(later(0), task);
    expect((await runs.present(task)).status).toBe('in_progress');
    await runs.setActivity(task, 'prompting', longAgo);
    await sweepTask(later(0), task);
    expect(await runs.present(task)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('240 minutes'),
    });
  });

  it('treats a quiet agent as alive while its node sends heartbeats, unless the agent has failed', async () => {
    const task = await startedHoursAgo();
    await beat(task);
    await runs.setActivity(task, 'idle', longAgo);
    await sweepTask(later(0), task);
    expect((await runs.present(task)).status).toBe('in_progress');

    await runs.setActivity(task, 'error', longAgo);
    await sweepTask(later(0), task);
    expect((await runs.present(task)).status).toBe('failed');
  });

  it('shows a working agent as error when its node has reported nothing for 5 minutes', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await runs.setActivity(task, 'prompting', longAgo);
    await beat(task);
    await sweepTask(later(4), task);
    expect((await runs.chatOf(task)).activity?.activity).toBe('prompting');
    await sweepTask(later(6), task);

    expect((await runs.chatOf(task)).activity).toMatchObject({
      activity: 'error',
      promptStartedAt: null,
      statusError: expect.stringContaining('5 minutes'),
    });
    expect((await runs.present(task)).status).toBe('in_progress');
  });
});
