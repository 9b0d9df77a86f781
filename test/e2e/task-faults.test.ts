import { join } from 'node:path';
import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, inject, it } from 'vitest';
import { type ExecutionStep, executionSteps, isLater } from '../../lambdas/domain/tasks/task-status.js';
import { Aws } from '../../local/aws.js';
import { readJournal } from '../support/acp-harness/journal.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const deployed = inject('cloud');
const { url, tableName, harnessFolder } = deployed;
let walk: TaskWalk;
let person: Person;

beforeAll(async () => {
  person = await Person.signIn(url, 'hubot');
  walk = await TaskWalk.begin(person, 'octo/hello', 'Faults');
});

/** What agents were asked that holds these words. */
const invocationsOf = (words: string) =>
  readJournal(join(harnessFolder, 'journal.jsonl')).filter(
    ({ event, text }) => event === 'prompt' && text?.includes(words),
  );

async function workspaceOf(task: Record<string, unknown>) {
  const { status, body } = await person.get(`/api/workspaces/${task.workspaceId}`);
  return status === 404 ? 'deleted' : String(body.status);
}

it('waits for capacity on the nodes of its person, reports the wait, and continues when capacity is free', async () => {
  const key = await quotaKey();
  using aws = new Aws(deployed);
  const quota = { TableName: tableName, Key: key };
  const { Item: before } = await aws.dynamo.send(new GetItemCommand({ ...quota, ConsistentRead: true }));
  await aws.dynamo.send(
    new UpdateItemCommand({
      ...quota,
      UpdateExpression: 'SET entity = :entity, nodeIds = :full',
      ExpressionAttributeValues: {
        ':entity': { S: 'node-quota' },
        ':full': { SS: Array.from({ length: 10 }, (_, index) => `another-${index}`) },
      },
    }),
  );
  const { taskId } = await walk.submit('Wait for room\n[[say there was room]]');

  const waiting = await walk.until(taskId, 'it waits', ({ admissionState }) => admissionState === 'waiting');
  expect(waiting).toMatchObject({
    executionStep: 'waiting_for_node_capacity',
    admissionReason: expect.stringContaining('10'),
    admissionNextRetryAt: expect.any(String),
    admissionQueuePosition: 1,
  });
  if (before) await aws.dynamo.send(new PutItemCommand({ TableName: tableName, Item: before }));
  else await aws.dynamo.send(new DeleteItemCommand(quota));

  const worked = await walk.until(taskId, 'it goes on', ({ finalAssistantMessage }) =>
    String(finalAssistantMessage).includes('there was room'),
  );
  expect(worked).toMatchObject({
    admissionState: 'admitted',
    admissionReason: null,
    admissionQueuePosition: null,
  });
  await walk.cancel(taskId);
});

async function quotaKey() {
  const { body } = await person.get(`/api/projects/${walk.projectId}/members`);
  const { userId } = body.members[0];
  return { pk: { S: `USER#${userId}` }, sk: { S: 'NODEQUOTA' } };
}

it('is one task with one agent, submitted ten times at once', async () => {
  const headers = { 'idempotency-key': 'ten-at-once' };
  const message = 'Only once\n[[say once]]';

  const reported = await Promise.all(Array.from({ length: 10 }, () => walk.submit(message, {}, headers)));

  expect(new Set(reported.map(({ taskId }) => taskId)).size).toBe(1);
  const taskId = String(reported[0]?.taskId);
  await walk.until(
    taskId,
    'its agent has worked',
    ({ executionStep }) => executionStep === 'awaiting_followup',
  );
  expect(invocationsOf('Only once')).toHaveLength(1);
  await walk.cancel(taskId);
});

/** More often than a node restarts an agent without a message. */
const crashes = 8;

it('restarts a permanently failed agent with the next message', async () => {
  const { taskId, sessionId } = await walk.submit('Begin', { taskMode: 'conversation' });
  await walk.until(taskId, 'its agent rests', ({ executionStep }) => executionStep === 'awaiting_followup');
  const at = `/api/projects/${walk.projectId}/sessions/${sessionId}`;
  const report = async (content: string) => {
    const { status, text } = await person.post(`${at}/prompt`, { content });
    expect(status, text).toBe(202);
  };
  const stateOnce = (what: string, look: (state: Record<string, unknown>) => boolean) =>
    until(what, async () => {
      const { body, text } = await person.get(at);
      if (body.session.queuedPrompts === 0 && look(body.state)) return body.state;
      throw new Error(text);
    });

  let state = await stateOnce('the agent rests', ({ activity }) => activity === 'idle');
  for (let count = 0; state.activity === 'idle' && count < crashes; count += 1) {
    const { restartCount: before } = state;
    await report(`Crash ${count} [[crash 1]]`);
    state = await stateOnce(
      'the agent was started again, or has failed',
      ({ activity, restartCount }) =>
        activity === 'error' || (activity === 'idle' && Number(restartCount) > before),
    );
  }
  expect(state.activity).toBe('error');
  await until('people see that the progress before the first crash is unknown', async () => {
    const { body, text } = await person.get(`${at}/messages`);
    const messages: readonly { content: string; delivery: { state: string } | null }[] = body.messages;
    const crashed = messages.find(({ content }) => content.includes('Crash 0'));
    if (crashed?.delivery?.state === 'ambiguous') return true;
    throw new Error(text);
  });
  await report('Are you back? [[say back again]]');

  await until('it answers', async () => {
    const { body, text } = await person.get(`${at}/messages?order=desc&limit=5`);
    const answers: readonly { role: string; content: string }[] = body.messages;
    if (answers.some(({ role, content }) => role === 'assistant' && content.includes('back again')))
      return true;
    throw new Error(text);
  });
  await stateOnce('it rests', ({ activity }) => activity === 'idle');
  await walk.cancel(taskId);
});

/** The sweep that sends lost wake-ups again runs every minute. */
const aSweepMs = 120_000;

/**
 * Each is a moment at which a task is cancelled: when a look at it first shows that it has come so
 * far.
 */
const moments: readonly (readonly [when: string, hasCome: (task: Record<string, unknown>) => boolean])[] = [
  ['at once', () => true],
  ['when its workspace has a place', ({ executionStep }) => isFrom('node_provisioning', executionStep)],
  ['when its workspace is made', ({ executionStep }) => isFrom('workspace_dispatch', executionStep)],
  ['when its agent is made', ({ executionStep }) => isFrom('agent_session', executionStep)],
  ['in the midst of its turn', ({ executionStep }) => isFrom('running', executionStep)],
];
const isFrom = (step: ExecutionStep, present: unknown) =>
  present === step || executionSteps.some((known) => known === present && isLater(known, step));

it('loses all its resources, whenever it is cancelled', async () => {
  const cancelled = await Promise.all(
    moments.map(async ([when, hasCome]) => {
      const { taskId, sessionId } = await walk.submit(`Cancelled ${when}\n[[wait never]]`);
      await walk.until(taskId, when, hasCome);
      await walk.cancel(taskId);
      return { taskId, sessionId };
    }),
  );

  for (const { taskId, sessionId } of cancelled) {
    const task = await walk.until(taskId, 'it is put away', ({ finalizedAt }) => finalizedAt !== null);
    expect(task).toMatchObject({ status: 'cancelled', errorMessage: null });
    await until(
      'nothing waits for its agent',
      async () => {
        const { body } = await person.get(`/api/projects/${walk.projectId}/sessions/${sessionId}`);
        const { status, queuedPrompts } = body.session;
        return (status === 'stopped' && queuedPrompts === 0) || undefined;
      },
      aSweepMs,
    );
    if (!task.workspaceId) continue;
    const end = task.startedAt === null ? 'deleted' : 'stopped';
    await until(`its workspace is ${end}`, async () => (await workspaceOf(task)) === end || undefined);
  }
  await until('no place is taken any more', async () => {
    const { body } = await person.get('/api/nodes');
    const nodes = body.nodes as { id: string }[];
    const all = await Promise.all(nodes.map(({ id }) => person.get(`/api/nodes/${id}`)));
    const held = all.flatMap((node) => node.body.workspaces ?? []);
    if (held.length > 0) throw new Error(JSON.stringify(held));
    return true;
  });
});
