import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { projectKey } from '../../../lambdas/domain/projects/project.js';
import { getItem, getItems } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { allSagas } from '../../support/sagas.js';
import { emptyTable } from '../../support/table.js';
import { testObjects } from '../../support/uploads.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { messagesOf } from './messages-of.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

const files = ['create', 'status', 'submit', 'run', 'cancel', 'add-dependency'].map(
  (name) => `tasks/${name}`,
);
const message = 'Fix the door';

let table: Table;
let routes: TaskRoutes;
let mine: TaskProject;

beforeAll(async () => {
  routes = await TaskRoutes.load(await emptyTable(), files);
  ({ table } = routes);
});

beforeEach(async () => {
  mine = await routes.newProject();
});

async function taskOf(taskId: string): Promise<Task> {
  const task = await findTask(table, mine.projectId, taskId);
  if (!task) throw new Error('There is no such task');
  return task;
}

async function submitted(more: object = {}): Promise<Task> {
  const { body } = await mine.call('submit', { body: { message, ...more } });
  return taskOf((body as unknown as { taskId: string }).taskId);
}

/** A launch request without settings. */
const projectSays = (settings: object) =>
  changeItem(table, { key: projectKey(mine.projectId), set: { settings }, when: { exists: true } });

describe('a task that is run', () => {
  const run = (taskId: string) => mine.call('run', { params: { taskId } });
  const cancelled = async (taskId: string) => {
    await mine.call('cancel', { params: { taskId }, body: { reason: 'not now' } });
    await ready(taskId);
  };
  const ready = (taskId: string) => mine.call('status', { params: { taskId }, body: { toStatus: 'ready' } });

  it('starts when it is ready, with its description as the message', async () => {
    const taskId = await mine.newTask({ description: 'It squeaks' });
    expect(await run(taskId)).toMatchObject({ status: 409, body: { error: 'TASK_NOT_IN_STATE' } });
    await ready(taskId);

    expect(await run(taskId)).toMatchObject({
      status: 202,
      headers: { location: `/api/projects/${mine.projectId}/tasks/${taskId}` },
      body: { taskId, sessionId: taskId },
    });
    expect(await taskOf(taskId)).toMatchObject({
      status: 'queued',
      run: 1,
      outputBranch: expect.any(String),
    });
    expect(await messagesOf(table, taskId)).toMatchObject([{ content: 'It squeaks' }]);
    expect((await run(taskId)).status).toBe(409);
  });

  it('is refused while it depends on an open task', async () => {
    const [taskId, dependsOnTaskId] = [await mine.newTask(), await mine.newTask({ title: 'First' })];
    await ready(taskId);
    await mine.call('add-dependency', { params: { taskId }, body: { dependsOnTaskId } });

    expect(await run(taskId)).toMatchObject({
      status: 409,
      body: { error: 'TASK_BLOCKED', message: expect.stringContaining('First') },
    });
  });

  it('continues in its chat when it is run again after the cleanup of its last execution', async () => {
    const before = await submitted();
    const { taskId } = before;
    await cancelled(taskId);
    expect(await run(taskId)).toMatchObject({ status: 409, body: { error: 'TASK_NOT_IN_STATE' } });

    await endRunOf(before);
    expect((await run(taskId)).status).toBe(202);
    const after = await taskOf(taskId);
    expect(after).toMatchObject({ run: 2, outputBranch: before.outputBranch, finalizedAt: null });
    expect(after.startDeliveryId).not.toBe(before.startDeliveryId);
    expect(await messagesOf(table, taskId)).toMatchObject([
      { content: message },
      { content: message, sequence: 2 },
    ]);
    const chat = Chat.parse((await getItems(table, [chatKey(taskId)]))(chatKey(taskId)));
    expect(chat).toMatchObject({ status: 'active', startDeliveryId: after.startDeliveryId });
  });

  it('runs again with its submitted settings and the current settings of the other layers', async () => {
    const before = await submitted({
      agentType: 'openai-codex',
      taskMode: 'conversation',
      workspaceProfile: 'lightweight',
      devcontainerConfigName: 'small',
      resourceRequirements: { minVcpu: 4, exclusiveNode: false },
    });
    await cancelled(before.taskId);
    await endRunOf(before);
    await projectSays({
      agentType: 'amp',
      effort: 'high',
      resourceRequirements: { minVcpu: 1, minDiskGb: 80 },
    });

    expect((await run(before.taskId)).status).toBe(202);
    expect(await taskOf(before.taskId)).toMatchObject({
      taskMode: 'conversation',
      launch: {
        agentType: { value: 'openai-codex', from: 'request' },
        taskMode: { value: 'conversation', from: 'request' },
        workspaceProfile: { value: 'lightweight', from: 'request' },
        devcontainerConfigName: { value: 'small', from: 'request' },
        effort: { value: 'high', from: 'project' },
        resourceRequirements: {
          minVcpu: { value: 4, from: 'request' },
          exclusiveNode: { value: false, from: 'request' },
          minDiskGb: { value: 80, from: 'project' },
        },
      },
    });
  });

  it('that was a draft has the task mode of the project', async () => {
    await projectSays({ taskMode: 'conversation' });
    const taskId = await mine.newTask();
    await ready(taskId);

    expect((await run(taskId)).status).toBe(202);
    expect(await taskOf(taskId)).toMatchObject({
      taskMode: 'conversation',
      launch: { taskMode: { value: 'conversation', from: 'project' } },
    });
  });
});

it('the end of a run also ends a chat in the state error, so that the task can run again', async () => {
  const task = await submitted();
  await mine.call('cancel', { params: { taskId: task.taskId }, body: { reason: 'not now' } });
  const key = chatKey(task.taskId);
  await changeItem(table, { key, set: { status: 'error' }, when: { exists: true } });

  await endRunOf(task);

  const chat = Chat.parse(await getItem(table, key));
  expect(chat).toMatchObject({ status: 'stopped', endedAt: expect.any(String) });
});

async function endRunOf({ projectId, taskId, run }: Task): Promise<void> {
  const { endRun } = await import('../../../lambdas/domain/tasks/end-run.js');
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  const kept = { keys: signingKeys(), objects: testObjects(), log: rootLog };
  const parts = { table, stepFunctions, sagas: allSagas(stepFunctions), now: new Date(), newId, kept };
  expect(await endRun(parts, { projectId, taskId, run })).toBe(true);
}
