import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { promptKey } from '../../../lambdas/domain/prompts/prompt.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import { listPendingReconciles } from '../../../lambdas/domain/records/pending-reconcile.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { submitTask } from '../../../lambdas/domain/tasks/submit-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { taskCountsKey } from '../../../lambdas/domain/tasks/task-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../../support/project.js';
import { limits } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { messagesOf } from './messages-of.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

const files = ['get', 'submit', 'cancel', 'events'].map((name) => `tasks/${name}`);

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

const message = 'Fix the door\nIt squeaks \u{1F6AA}\u0000\u0007 — 修理';

interface Begun {
  readonly taskId: string;
  readonly sessionId: string;
  readonly branchName: string;
}

const submit = async (body: object, key?: string) => {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const reply = await mine.call('submit', { body, headers });
  return { ...reply, body: reply.body as unknown as Begun };
};

async function taskOf(taskId: string): Promise<Task> {
  const task = await findTask(table, mine.projectId, taskId);
  if (!task) throw new Error('There is no such task');
  return task;
}

async function tasksOf(projectId: string): Promise<number> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :task)',
      ExpressionAttributeValues: { ':project': `PROJECT#${projectId}`, ':task': 'TASK#' },
    }),
  );
  return Items.length;
}

const own = (project: TaskProject) => ({
  project: project.project,
  userId: project.owner.userId,
  actor: { actorType: 'user', actorId: project.owner.userId } as const,
  message: 'Fix it',
  request: {},
  offer: limits.offer,
  newId,
});

describe('a submission', () => {
  it('creates the task, its chat and the first message, and schedules the sweep', async () => {
    const { status, body, headers } = await submit({
      message,
      taskMode: 'conversation',
      agentType: 'openai-codex',
    });

    expect(status).toBe(202);
    expect(headers).toMatchObject({ location: `/api/projects/${mine.projectId}/tasks/${body.taskId}` });
    expect(body).toEqual({
      taskId: body.taskId,
      sessionId: body.taskId,
      branchName: `svc/fix-the-door-${body.taskId.slice(-8).toLowerCase()}`,
      status: 'queued',
    });
    const task = await taskOf(body.taskId);
    expect(task).toMatchObject({
      title: 'Fix the door',
      description: message,
      status: 'queued',
      executionStep: 'node_selection',
      taskMode: 'conversation',
      run: 1,
      launch: {
        agentType: { value: 'openai-codex', from: 'request' },
        permissionMode: { value: 'bypassPermissions', from: 'platform' },
      },
      outputBranch: body.branchName,
    });
    expect(await messagesOf(table, body.sessionId)).toMatchObject([
      { sequence: 1, role: 'user', content: message, origin: 'user', delivery: { state: 'queued' } },
    ]);
    const prompt = promptKey(body.sessionId, String(task.startDeliveryId));
    const find = await getItems(table, [chatKey(body.sessionId), prompt]);
    expect(Chat.parse(find(chatKey(body.sessionId)))).toMatchObject({
      taskId: body.taskId,
      topic: 'Fix the door',
      startDeliveryId: task.startDeliveryId,
    });
    expect(find(prompt)).toMatchObject({ kind: 'start', deliveryState: 'queued', content: message });
    expect(await listPendingReconciles(table)).toContainEqual(
      expect.objectContaining({ kind: 'TASK', id: `${mine.projectId}.${body.taskId}` }),
    );
    expect((await mine.call('events', { params: { taskId: body.taskId } })).body).toMatchObject({
      events: [{ fromStatus: null, toStatus: 'queued' }],
    });
  });

  it('accepts a message of 16,000 characters, and names the field of a longer one', async () => {
    const longest = '\u{1F6AA}'.repeat(16_000);
    const { status, body } = await submit({ message: longest });

    expect(status).toBe(202);
    expect((await messagesOf(table, body.sessionId))[0]?.content).toBe(longest);
    expect(await submit({ message: `${longest}x` })).toMatchObject({
      status: 400,
      body: { error: 'BAD_REQUEST', details: [{ field: 'body.message' }] },
    });
    expect(await submit({ message: ' \n\t' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.message' }] },
    });
    expect(await tasksOf(mine.projectId)).toBe(1);
  });

  it.each([
    ['agentProfileId', { agentProfileId: newId() }],
    ['skillId', { skillId: newId() }],
    ['parentTaskId', { parentTaskId: newId() }],
  ])('names a %s that the project does not have, and makes nothing', async (field, more) => {
    const reply = await submit({ message, ...more });

    expect([400, 404]).toContain(reply.status);
    expect(reply.body).toMatchObject({ details: [{ field: `body.${field}` }] });
    expect(await tasksOf(mine.projectId)).toBe(0);
  });

  it('refuses requirements that no node of the deployment can meet, and makes nothing', async () => {
    expect(await submit({ message, resourceRequirements: { minVcpu: 1_000 } })).toMatchObject({
      status: 400,
      body: {
        error: 'RESOURCES_TOO_LARGE',
        details: [{ field: 'body.resourceRequirements.minVcpu', message: 'Must be at most 128.' }],
      },
    });
    expect(await tasksOf(mine.projectId)).toBe(0);
  });

  it('accepts at most 20 attachments and 200 MiB', async () => {
    const attachment = (index: number, size: number) => ({
      uploadId: newId(),
      filename: `${index}.bin`,
      size,
      contentType: 'application/octet-stream',
    });
    const tenMiB = 10 * 1024 ** 2;
    const all = Array.from({ length: 20 }, (_, index) => attachment(index, tenMiB));

    const { status, body } = await submit({ message, attachments: all });
    expect(status).toBe(202);
    expect((await taskOf(body.taskId)).attachments).toEqual(all);
    for (const attachments of [
      [...all, attachment(20, 1)],
      [...all.slice(1), attachment(0, tenMiB + 1)],
      [attachment(0, 1), attachment(0, 1)],
    ]) {
      expect(await submit({ message, attachments })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'body.attachments' }] },
      });
    }
  });

  it('answers a repeat with the same key alike, and refuses another body with that key', async () => {
    const first = await submit({ message }, 'once');
    const again = await submit({ message }, 'once');

    expect(again.body).toEqual(first.body);
    expect(await submit({ message: 'another' }, 'once')).toMatchObject({
      status: 409,
      body: { error: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await tasksOf(mine.projectId)).toBe(1);
  });

  it('creates one task for ten parallel requests with one key', async () => {
    const key = { key: 'k', requestHash: 'h' };
    const submitted = await Promise.all(
      Array.from({ length: 10 }, () => submitTask(table, { ...own(mine), key }, new Date())),
    );

    expect(new Set(submitted.map(({ taskId }) => taskId)).size).toBe(1);
    expect(submitted.filter(({ task }) => task)).toHaveLength(1);
    expect(await tasksOf(mine.projectId)).toBe(1);
  });
});

describe('a project at its limits', () => {
  it('refuses more active tasks than its limit, also for ten parallel requests', async () => {
    const limited: TaskProject['project'] = { ...mine.project, settings: { maxConcurrentTasks: 3 } };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => submitTask(table, { ...own(mine), project: limited }, new Date())),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'TASK_CONCURRENCY_REACHED' });
    }
    expect(await tasksOf(mine.projectId)).toBe(3);
  });

  it('accepts another task after one has ended', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push((await submit({ message })).body.taskId);

    expect(await submit({ message })).toMatchObject({
      status: 409,
      body: { error: 'TASK_CONCURRENCY_REACHED' },
    });
    await mine.call('cancel', { params: { taskId: String(ids[0]) }, body: {} });
    expect((await submit({ message })).status).toBe(202);
  });

  it('has at most 10,000 tasks', async () => {
    await putItem(table, { ...taskCountsKey(mine.projectId), taskCount: 10_000 });

    expect(await submit({ message })).toMatchObject({ status: 409, body: { error: 'TASK_LIMIT_REACHED' } });
  });

  it('limits the number and the depth of subtasks', async () => {
    const parent = await submit({ message });
    const parentTaskId = parent.body.taskId;
    for (let count = 0; count < 5; count += 1) {
      const child = await submit({ message, parentTaskId });
      expect(await taskOf(child.body.taskId)).toMatchObject({ parentTaskId, dispatchDepth: 1 });
    }
    expect(await submit({ message, parentTaskId })).toMatchObject({
      status: 409,
      body: { error: 'SUB_TASK_LIMIT_REACHED' },
    });

    let deepest = (await submit({ message })).body.taskId;
    for (let depth = 1; depth <= 3; depth += 1)
      deepest = (await submit({ message, parentTaskId: deepest })).body.taskId;
    expect(await submit({ message, parentTaskId: deepest })).toMatchObject({
      status: 409,
      body: { error: 'SUB_TASK_LIMIT_REACHED' },
    });
  });
});
