import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentSession, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { getItems } from '../../../lambdas/domain/records/get-items.js';
import { endRun } from '../../../lambdas/domain/tasks/end-run.js';
import { findTask } from '../../../lambdas/domain/tasks/find-task.js';
import { submitTask } from '../../../lambdas/domain/tasks/submit-task.js';
import { type Task, taskKey } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placedOn, type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { stepFunctions } from '../../../lambdas/shared/clients/step-functions.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepTask } from '../../../lambdas/sweeps/sweep-task.js';
import { startCodeHost } from '../../support/code-host.js';
import { functionEnv } from '../../support/function-env.js';
import { loadRoute } from '../../support/invoke.js';
import type { SignedIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { walkSignIn } from '../../support/walk-sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aNode, putNode } from '../workspaces/builders.js';
import { loadStep, type RunStep } from '../workspaces/load-step.js';
import { type NodeRequest, NodeStub } from '../workspaces/node-stub.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

const stepNames = ['create-workspace', 'look-at-workspace', 'start-agent', 'deliver-prompt'] as const;
const otherSteps = ['transfer-attachment', 'fail-task'] as const;
type StepName = (typeof stepNames)[number] | (typeof otherSteps)[number];

let table: Table;
let routes: TaskRoutes;
let codeHost: AsyncDisposable;
let octo: SignedIn;
let mine: TaskProject;
let node: NodeStub;
const steps = new Map<StepName, RunStep>();

beforeAll(async () => {
  codeHost = await startCodeHost();
  const codeHostEnv = Object.fromEntries(
    ['SECRET_ARN', 'URL', 'API_URL'].map((name) => [`CODE_HOST_${name}`, process.env[`CODE_HOST_${name}`]]),
  );
  routes = await TaskRoutes.load(
    await emptyTable(),
    ['cancel', 'close', 'status-callback', 'request-upload'].map((name) => `tasks/${name}`),
  );
  Object.assign(process.env, codeHostEnv);
  await new S3Client({ forcePathStyle: true }).send(
    new CreateBucketCommand({ Bucket: functionEnv.UPLOADS_BUCKET }),
  );
  ({ table } = routes);
  const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
  const cookie = await walkSignIn(browser, 'octo');
  octo = { cookie, sessionHash: '', userId: /=(\w+)\./.exec(cookie)?.[1] ?? '' };
  for (const name of [...stepNames, ...otherSteps]) steps.set(name, await loadStep(`run-task/${name}`));
  node = await NodeStub.start();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await codeHost[Symbol.asyncDispose]();
});

beforeEach(async () => {
  mine = await routes.newProject(octo);
  node.requests = [];
  node.onRequest = async (request) => answer(request);
});

const at = '2026-11-21T10:00:00.000Z';

/** What the agent of a node says of agent sessions. */
function answer({ method, path, body }: NodeRequest) {
  if (path.endsWith('/agent-capabilities')) {
    return {
      status: 200,
      body: {
        protocolVersion: 1,
        runtimeIdentity: 'one',
        promptReceipts: { supported: true, lookup: true, states: ['accepted'] },
      },
    };
  }
  if (path.endsWith('/start')) {
    const receipt = { deliveryId: body.deliveryId, state: 'in_flight', runtimeIdentity: 'one' };
    return {
      status: 202,
      body: { status: 'accepted', sessionId: 's', receipt: { ...receipt, acceptedAt: 1, completedAt: null } },
    };
  }
  if (method !== 'POST' || !path.endsWith('/agent-sessions')) return undefined;
  return {
    status: 201,
    body: {
      ...{ id: body.sessionId, workspaceId: newId(), status: 'running', hostStatus: 'idle', viewerCount: 0 },
      ...{ label: null, agentType: null, acpSessionId: null, lastPrompt: null, errorMessage: null },
      ...{ createdAt: at, updatedAt: at, stoppedAt: null, suspendedAt: null },
    },
  };
}

async function submitted(more: Partial<Parameters<typeof submitTask>[1]> = {}): Promise<Task> {
  const { projectId } = mine;
  const asked = {
    project: { ...mine.project, repository: 'octo/hello' },
    userId: octo.userId,
    actor: { actorType: 'user', actorId: octo.userId } as const,
    message: 'Fix the door',
    request: {},
    newId,
    ...more,
  };
  const { taskId } = await submitTask(table, asked, new Date());
  return present({ projectId, taskId });
}

async function present({ projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>): Promise<Task> {
  const task = await findTask(table, projectId, taskId);
  if (!task) throw new Error('The task is gone');
  return task;
}

async function run(name: StepName, { projectId, taskId, run }: Task, more: object = {}): Promise<unknown> {
  return steps.get(name)?.({ projectId, taskId, run, ...more });
}

async function workspaceOf(task: Task): Promise<Workspace> {
  const { workspaceId } = await present(task);
  const workspace = workspaceId ? await findWorkspace(table, workspaceId) : undefined;
  if (!workspace) throw new Error('The task has no workspace');
  return workspace;
}

/** What provision-workspace leaves behind. */
async function provision(task: Task): Promise<void> {
  const { workspaceId, userId } = await workspaceOf(task);
  const { nodeId } = await putNode(
    table,
    aNode({ ...node.place, userId, lastHeartbeatAt: new Date().toISOString() }),
  );
  await changeItem(table, {
    key: workspaceKey(workspaceId),
    set: { status: 'running', nodeId, dispatchedAt: at, readyAt: at, ...placedOn(nodeId, workspaceId) },
    when: { exists: true },
  });
}

/** Everything up to and with this step. */
async function runUpTo(last: StepName): Promise<Task> {
  const task = await submitted();
  for (const name of stepNames) {
    if (name === 'look-at-workspace') await provision(task);
    await run(name, task);
    if (name === last) break;
  }
  return present(task);
}

const chatOf = async ({ taskId }: Task): Promise<Chat> =>
  Chat.parse((await getItems(table, [chatKey(taskId)]))(chatKey(taskId)));

const end = ({ projectId, taskId, run }: Task, now = new Date()) =>
  endRun(
    { table, stepFunctions: quiet, stopWorkspaceArn: 's', deleteWorkspaceArn: 'd', now },
    { projectId, taskId, run },
  );

/** Takes every order, as where the sagas are others' to test. */
const started: string[] = [];
const quiet = {
  send: async ({ input }: { input: { name?: string } }) => {
    if (input.name) started.push(input.name);
    return {};
  },
} as unknown as typeof stepFunctions;

describe('an execution', () => {
  it('makes one workspace, on the branch of the task, however often it is asked to', async () => {
    const task = await submitted();
    const first = await run('create-workspace', task);
    const again = await run('create-workspace', task);

    expect(again).toEqual(first);
    expect(await workspaceOf(task)).toMatchObject({
      status: 'pending',
      taskId: task.taskId,
      branch: task.outputBranch,
      baseBranch: 'main',
      repositoryPermission: 'write',
      projectId: mine.projectId,
      resourceRequirements: { minVcpu: 2, exclusiveNode: false },
      gitAuthor: { name: expect.any(String), email: expect.any(String) },
    });
  });

  it('waits while the workspace is made, and is delegated to it once it runs', async () => {
    const task = await submitted();
    await run('create-workspace', task);
    expect(await run('look-at-workspace', task)).toMatchObject({ runs: false });
    await provision(task);
    expect(await run('look-at-workspace', task)).toEqual({ runs: true, attachments: 0 });
    expect(await run('look-at-workspace', task)).toEqual({ runs: true, attachments: 0 });

    expect(await present(task)).toMatchObject({ status: 'delegated', executionStep: 'workspace_ready' });
  });

  it('makes one agent session, with tools, and says so in the chat', async () => {
    const task = await runUpTo('start-agent');
    await run('start-agent', task);

    const [first, second] = node.requests.filter(({ path }) => path.endsWith('/agent-sessions'));
    expect(first?.body).toMatchObject({
      sessionId: task.agentSessionId,
      chatSessionId: task.taskId,
      projectId: task.projectId,
      mcpServers: [{ url: 'http://localhost:8787/mcp', token: expect.any(String) }],
    });
    expect(second?.body.sessionId).toBe(task.agentSessionId);
    const chat = await chatOf(task);
    expect(chat).toMatchObject({ workspaceId: task.workspaceId, agentSessionId: task.agentSessionId });
  });

  it('begins the agent with the message once, and is in progress', async () => {
    const task = await runUpTo('deliver-prompt');
    expect(await run('deliver-prompt', task)).toEqual({ retryAfter: null });

    const starts = node.requests.filter(({ path }) => path.endsWith('/start'));
    expect(starts).toHaveLength(1);
    expect(starts[0]?.body).toMatchObject({
      agentType: 'claude-code',
      initialPrompt: 'Fix the door',
      permissionMode: 'bypassPermissions',
      injectedInstructions: expect.stringContaining(String(task.outputBranch)),
      taskId: task.taskId,
      taskMode: 'task',
      deliveryId: task.startDeliveryId,
    });
    expect(task).toMatchObject({ status: 'in_progress', executionStep: 'running' });
    expect(task.startedAt).not.toBeNull();
  });

  it('tries again later when the node does not take the message yet', async () => {
    const task = await runUpTo('start-agent');
    node.onRequest = async (request) =>
      request.path.endsWith('/agent-capabilities') ? { status: 503, body: {} } : answer(request);

    expect(await run('deliver-prompt', task)).toEqual({ retryAfter: expect.any(Number) });
    expect((await present(task)).status).toBe('delegated');
  });

  it('fails with the words of its workspace when that does not come to run', async () => {
    const task = await runUpTo('create-workspace');
    await changeItem(table, {
      key: workspaceKey(String(task.workspaceId)),
      set: { status: 'errored', errorMessage: 'The clone failed: no space left.' },
      when: { exists: true },
    });

    await expect(run('look-at-workspace', task)).rejects.toThrow('The clone failed');
    const cause = JSON.stringify({ errorMessage: 'The clone failed: no space left.' });
    const failure = { step: 'LookAtWorkspace', error: 'WorkspaceNotMade', cause };
    await run('fail-task', task, { failure });
    await run('fail-task', task, { failure: { ...failure, cause: 'later' } });

    expect(await present(task)).toMatchObject({
      status: 'failed',
      errorMessage: 'The clone failed: no space left.',
    });
  });

  it('fails with words a person can act on when the repository is gone from their sight', async () => {
    const task = await submitted();
    await changeItem(table, {
      key: { pk: `PROJECT#${mine.projectId}`, sk: 'PROJECT' },
      set: { repository: 'mallory/secrets' },
      when: { exists: true },
    });

    await expect(run('create-workspace', task)).rejects.toMatchObject({ name: 'NotFound' });
    const failure = {
      step: 'CreateWorkspace',
      error: 'NotFound',
      cause: JSON.stringify({ errorMessage: 'Repository not found' }),
    };
    await run('fail-task', task, { failure });
    expect((await present(task)).errorMessage).toContain('Check it on the code host');
  });
});

describe('an attachment', () => {
  const content = 'It squeaks \u{1F6AA}';
  const file = { filename: 'Türe 1.txt', size: Buffer.byteLength(content), contentType: 'text/plain' };

  async function uploaded() {
    const { status, body } = await mine.call('request-upload', { body: file });
    expect(status).toBe(201);
    const { uploadId, uploadUrl, method, headers } = body as unknown as {
      readonly uploadId: string;
      readonly uploadUrl: string;
      readonly method: string;
      readonly headers: Record<string, string>;
    };
    const sent = await fetch(uploadUrl, { method, headers, body: content });
    expect(sent.status).toBe(200);
    return { ...file, uploadId };
  }

  it('is uploaded, and put beside the repository before the agent begins', async () => {
    const task = await submitted({ attachments: [await uploaded()] });
    await run('create-workspace', task);
    await provision(task);
    node.onRequest = async (request) =>
      request.path.endsWith('/files/upload') ? { status: 200, body: { files: [] } } : answer(request);

    expect(await run('look-at-workspace', task)).toEqual({ runs: true, attachments: 1 });
    expect(await run('transfer-attachment', task, { index: 0 })).toEqual({ next: null });

    const [form] = node.requests.filter(({ path }) => path.endsWith('/files/upload'));
    const sent = String(form?.content);
    expect(sent).toContain(content);
    expect(sent).not.toContain('name="destination"');
    expect(sent).toContain(`filename="${file.filename}"`);
    expect((await present(task)).executionStep).toBe('attachment_transfer');
    await run('start-agent', task);
    await run('deliver-prompt', task);
    const [start] = node.requests.filter(({ path }) => path.endsWith('/start'));
    expect(start?.body.injectedInstructions).toContain(
      `../.private, seen from the repository: ${file.filename}`,
    );
  });

  it('that was never uploaded fails the task with its name', async () => {
    const task = await submitted({ attachments: [{ ...file, uploadId: newId() }] });
    await run('create-workspace', task);
    await provision(task);
    await run('look-at-workspace', task);

    await expect(run('transfer-attachment', task, { index: 0 })).rejects.toMatchObject({
      name: 'AttachmentMissing',
      message: expect.stringContaining(file.filename),
    });
  });

  it.each([
    ['size', { ...file, size: 50 * 1024 ** 2 + 1 }],
    ['size', { ...file, size: 0 }],
    ['filename', { ...file, filename: '../secret' }],
    ['contentType', { ...file, contentType: 'text/plain\r\nx-evil: 1' }],
  ])('is refused for its %s', async (field, body) => {
    expect(await mine.call('request-upload', { body })).toMatchObject({
      status: 400,
      body: { details: [{ field: `body.${field}` }] },
    });
  });
});

describe('a cancellation', () => {
  const cancel = ({ taskId }: Task) =>
    mine.call('cancel', { params: { taskId }, body: { reason: 'changed my mind' } });

  it.each([
    ['before the first step', undefined, undefined],
    ['after the workspace was made', 'create-workspace', 'stopping'],
    ['after it came to run', 'look-at-workspace', 'stopping'],
    ['after the agent session was made', 'start-agent', 'stopping'],
    ['after the agent was begun', 'deliver-prompt', 'stopping'],
  ] as const)('%s stops what follows and puts away what there is', async (_when, last, status) => {
    const task = last ? await runUpTo(last) : await submitted();
    expect(await cancel(task)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await cancel(task)).status).toBe(200);

    for (const name of stepNames) {
      await expect(run(name, task)).rejects.toMatchObject({ name: 'TaskEnded' });
    }
    started.length = 0;
    expect(await end(task)).toBe(true);
    expect(await end(task)).toBe(true);

    const ended = await present(task);
    expect(ended).toMatchObject({ status: 'cancelled', errorMessage: null });
    expect(ended.finalizedAt).not.toBeNull();
    expect((await chatOf(task)).status).toBe('stopped');
    if (!status) return;
    const workspace = await workspaceOf(task);
    expect(workspace.status).toBe(status);
    // An agent has worked in it: its files can be had again.
    expect(workspace.deletion === undefined).toBe(last === 'deliver-prompt');
    expect(started).toHaveLength(1);
    if (!task.agentSessionId) return;
    const key = agentSessionKey(workspace.workspaceId, task.agentSessionId);
    expect(AgentSession.parse((await getItems(table, [key]))(key)).status).toBe('stopped');
  });
});

describe('a task that was completed', () => {
  it('lets its agent finish what it says, but not for ever', async () => {
    const task = await runUpTo('deliver-prompt');
    await changeItem(table, {
      key: chatKey(task.taskId),
      set: {
        activity: {
          ...{ activity: 'prompting', activityAt: at, promptStartedAt: 1 },
          ...{ agentType: null, restartCount: 0, statusError: null },
        },
      },
      when: { exists: true },
    });
    const closed = await mine.call('close', { params: { taskId: task.taskId } });

    expect(closed).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await end(task)).toBe(false);
    expect((await workspaceOf(task)).status).toBe('running');
    expect(await end(task, new Date(Date.now() + 3 * 60_000))).toBe(true);
    expect((await workspaceOf(task)).status).toBe('stopping');
  });
});

describe('the node of a task', () => {
  async function tell(
    task: Task,
    body: object,
    claims: { generation?: number; sub?: string; node?: string } = {},
  ) {
    const { workspaceId, generation, nodeId } = await workspaceOf(task);
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', {
      claims: { sub: workspaceId, node: String(nodeId), generation, ...claims },
      now: new Date(),
    });
    const headers = { authorization: `Bearer ${token}` };
    const { projectId, taskId } = task;
    return routes.call('tasks/status-callback', { params: { projectId, taskId }, headers, body });
  }

  it('tells how far it is and what came of it, and may tell it twice', async () => {
    const task = await runUpTo('deliver-prompt');
    const waits = await tell(task, { executionStep: 'awaiting_followup', outputSummary: 'Nearly' });
    const back = await tell(task, { executionStep: 'running', toStatus: undefined });
    const done = { toStatus: 'completed', outputSummary: 'Done', outputPrUrl: 'https://code.example/pr/1' };

    expect(waits.body).toMatchObject({ executionStep: 'awaiting_followup', outputSummary: 'Nearly' });
    expect(back.body).toMatchObject({ executionStep: 'awaiting_followup' });
    expect((await tell(task, done)).status).toBe(200);
    expect(await tell(task, done)).toMatchObject({
      status: 200,
      body: { status: 'completed', outputSummary: 'Done', outputPrUrl: 'https://code.example/pr/1' },
    });
    expect(await tell(task, { toStatus: 'failed' })).toMatchObject({
      status: 409,
      body: { error: 'TASK_NOT_IN_STATE' },
    });
  });

  it('is not heard for a task of another workspace, or of a life before', async () => {
    const [task, other] = [await runUpTo('deliver-prompt'), await runUpTo('look-at-workspace')];
    const { workspaceId, nodeId } = await workspaceOf(other);

    const foreign = await tell(task, { toStatus: 'failed' }, { sub: workspaceId, node: String(nodeId) });
    const stale = await tell(task, { toStatus: 'failed' }, { generation: 0 });

    expect(foreign.status).toBe(404);
    expect(stale.status).toBe(410);
    expect((await present(task)).status).toBe('in_progress');
  });
});

describe('the sweep', () => {
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  } as unknown as Sweep['log'];
  const later = (minutes: number): Sweep => ({
    table,
    stepFunctions: quiet,
    fleet: { client: {} as Sweep['fleet']['client'], deploymentId: 'test' },
    zone: undefined,
    arns: {
      ...{ 'provision-workspace': 'p', 'stop-workspace': 's', 'delete-workspace': 'd', 'remove-node': 'r' },
      ...{ 'run-task': 't', 'end-run': 'e' },
    },
    now: new Date(Date.now() + minutes * 60_000),
    log,
  });

  beforeEach(() => {
    started.length = 0;
  });

  it('starts an execution that was not started, and the end of one that has ended', async () => {
    const task = await submitted();
    expect(await sweepTask(later(1), task)).toBe(false);
    expect(started).toEqual([]);
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(started).toEqual([`${task.taskId}-1-run`]);

    await mine.call('cancel', { params: { taskId: task.taskId }, body: {} });
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(started.at(-1)).toBe(`${task.taskId}-1-end-0`);
    await end(task);
    expect(await sweepTask(later(3), task)).toBe(true);
  });

  it('fails a task whose workspace was lost with its node, with its words and the branch', async () => {
    const task = await runUpTo('deliver-prompt');
    await changeItem(table, {
      key: workspaceKey(String(task.workspaceId)),
      set: {
        status: 'errored',
        errorMessage: 'Its node is gone.',
        statusChangedAt: new Date().toISOString(),
      },
      when: { exists: true },
    });
    await sweepTask(later(1), task);
    expect((await present(task)).status).toBe('in_progress');
    await sweepTask(later(6), task);

    const failed = await present(task);
    expect(failed.status).toBe('failed');
    expect(failed.errorMessage).toContain('Its node is gone.');
    expect(failed.errorMessage).toContain(String(task.outputBranch));
  });

  it('ends a task whose time is over only when nothing shows that its agent works', async () => {
    const task = await runUpTo('deliver-prompt');
    const startedAt = new Date(Date.now() - 5 * 60 * 60_000).toISOString();
    await changeItem(table, {
      key: taskKey(task.projectId, task.taskId),
      set: { startedAt },
      when: { exists: true },
    });
    const beat = (activityAt: string) =>
      changeItem(table, {
        key: chatKey(task.taskId),
        set: {
          activity: {
            ...{ activity: 'prompting', activityAt, promptStartedAt: 1 },
            ...{ agentType: null, restartCount: 0, statusError: null },
          },
        },
        when: { exists: true },
      });

    await beat(new Date().toISOString());
    await sweepTask(later(0), task);
    expect((await present(task)).status).toBe('in_progress');
    await beat(startedAt);
    await sweepTask(later(0), task);
    expect(await present(task)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('240 minutes'),
    });
  });
});
