import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatKey } from '../../../lambdas/domain/chats/chat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { type Task, taskKey } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepTask } from '../../../lambdas/sweeps/sweep-task.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { agentAnswers } from './agent-answers.js';
import { Executions } from './executions.js';

let executions: Executions;

beforeAll(async () => {
  executions = await Executions.start(['cancel', 'close', 'status-callback', 'request-upload']);
});
afterAll(async () => executions[Symbol.asyncDispose]());
beforeEach(async () => executions.reset());

describe('an execution', () => {
  it('makes one workspace, on the branch of the task, however often it is asked to', async () => {
    const task = await executions.submitted();
    const first = await executions.run('create-workspace', task);
    const again = await executions.run('create-workspace', task);

    expect(again).toEqual(first);
    expect(await executions.workspaceOf(task)).toMatchObject({
      status: 'pending',
      taskId: task.taskId,
      branch: task.outputBranch,
      baseBranch: 'main',
      repositoryPermission: 'write',
      projectId: executions.mine.projectId,
      resourceRequirements: { minVcpu: 2, exclusiveNode: false },
      gitAuthor: { name: expect.any(String), email: expect.any(String) },
    });
  });

  it('waits while the workspace is made, and is delegated to it once it runs', async () => {
    const task = await executions.submitted();
    await executions.run('create-workspace', task);
    expect(await executions.run('look-at-workspace', task)).toMatchObject({ runs: false });
    await executions.provision(task);
    expect(await executions.run('look-at-workspace', task)).toEqual({ runs: true, attachments: 0 });
    expect(await executions.run('look-at-workspace', task)).toEqual({ runs: true, attachments: 0 });

    expect(await executions.present(task)).toMatchObject({
      status: 'delegated',
      executionStep: 'workspace_ready',
    });
  });

  it('makes one agent session, with tools, and says so in the chat', async () => {
    const task = await executions.runUpTo('start-agent');
    await executions.run('start-agent', task);

    const [first, second] = executions.node.requests.filter(({ path }) => path.endsWith('/agent-sessions'));
    expect(first?.body).toMatchObject({
      sessionId: task.agentSessionId,
      chatSessionId: task.taskId,
      projectId: task.projectId,
      mcpServers: [{ url: 'http://localhost:8787/mcp', token: expect.any(String) }],
    });
    expect(second?.body.sessionId).toBe(task.agentSessionId);
    const chat = await executions.chatOf(task);
    expect(chat).toMatchObject({ workspaceId: task.workspaceId, agentSessionId: task.agentSessionId });
  });

  it('begins the agent with the message once, and is in progress', async () => {
    const task = await executions.runUpTo('deliver-prompt');
    expect(await executions.run('deliver-prompt', task)).toEqual({ retryAfter: null });

    const starts = executions.node.requests.filter(({ path }) => path.endsWith('/start'));
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
    const task = await executions.runUpTo('start-agent');
    executions.node.onRequest = async (request) =>
      request.path.endsWith('/agent-capabilities') ? { status: 503, body: {} } : agentAnswers(request);

    expect(await executions.run('deliver-prompt', task)).toEqual({ retryAfter: expect.any(Number) });
    expect((await executions.present(task)).status).toBe('delegated');
  });

  it('fails with the words of its workspace when that does not come to run', async () => {
    const task = await executions.runUpTo('create-workspace');
    await changeItem(executions.table, {
      key: workspaceKey(String(task.workspaceId)),
      set: { status: 'errored', errorMessage: 'The clone failed: no space left.' },
      when: { exists: true },
    });

    await expect(executions.run('look-at-workspace', task)).rejects.toThrow('The clone failed');
    const cause = JSON.stringify({ errorMessage: 'The clone failed: no space left.' });
    const failure = { step: 'LookAtWorkspace', error: 'WorkspaceNotMade', cause };
    await executions.run('fail-task', task, { failure });
    await executions.run('fail-task', task, { failure: { ...failure, cause: 'later' } });

    expect(await executions.present(task)).toMatchObject({
      status: 'failed',
      errorMessage: 'The clone failed: no space left.',
    });
  });

  it('fails with words a person can act on when the repository is gone from their sight', async () => {
    const task = await executions.submitted();
    await changeItem(executions.table, {
      key: { pk: `PROJECT#${executions.mine.projectId}`, sk: 'PROJECT' },
      set: { repository: 'mallory/secrets' },
      when: { exists: true },
    });

    await expect(executions.run('create-workspace', task)).rejects.toMatchObject({ name: 'NotFound' });
    const failure = {
      step: 'CreateWorkspace',
      error: 'NotFound',
      cause: JSON.stringify({ errorMessage: 'Repository not found' }),
    };
    await executions.run('fail-task', task, { failure });
    expect((await executions.present(task)).errorMessage).toContain('Check it on the code host');
  });
});

describe('an attachment', () => {
  const content = 'It squeaks \u{1F6AA}';
  const file = { filename: 'Türe 1.txt', size: Buffer.byteLength(content), contentType: 'text/plain' };

  it('is uploaded, and put beside the repository before the agent begins', async () => {
    const task = await executions.submitted({
      attachments: [await executions.uploaded(content, file.filename)],
    });
    await executions.run('create-workspace', task);
    await executions.provision(task);
    executions.node.onRequest = async (request) =>
      request.path.endsWith('/files/upload') ? { status: 200, body: { files: [] } } : agentAnswers(request);

    expect(await executions.run('look-at-workspace', task)).toEqual({ runs: true, attachments: 1 });
    expect(await executions.run('transfer-attachment', task, { index: 0 })).toEqual({ next: null });

    const [form] = executions.node.requests.filter(({ path }) => path.endsWith('/files/upload'));
    const sent = String(form?.content);
    expect(sent).toContain(content);
    expect(sent).not.toContain('name="destination"');
    expect(sent).toContain(`filename="${file.filename}"`);
    expect((await executions.present(task)).executionStep).toBe('attachment_transfer');
    await executions.run('start-agent', task);
    await executions.run('deliver-prompt', task);
    const [start] = executions.node.requests.filter(({ path }) => path.endsWith('/start'));
    expect(start?.body.injectedInstructions).toContain(
      `../.private, seen from the repository: ${file.filename}`,
    );
  });

  it('that was never uploaded fails the task with its name', async () => {
    const task = await executions.submitted({ attachments: [{ ...file, uploadId: newId() }] });
    await executions.run('create-workspace', task);
    await executions.provision(task);
    await executions.run('look-at-workspace', task);

    await expect(executions.run('transfer-attachment', task, { index: 0 })).rejects.toMatchObject({
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
    expect(await executions.mine.call('request-upload', { body })).toMatchObject({
      status: 400,
      body: { details: [{ field: `body.${field}` }] },
    });
  });
});

const at = '2026-11-21T10:00:00.000Z';

describe('a task that was completed', () => {
  it('lets its agent finish what it says, but not for ever', async () => {
    const task = await executions.runUpTo('deliver-prompt');
    await changeItem(executions.table, {
      key: chatKey(task.taskId),
      set: {
        activity: {
          ...{ activity: 'prompting', activityAt: at, promptStartedAt: 1 },
          ...{ agentType: null, restartCount: 0, statusError: null },
        },
      },
      when: { exists: true },
    });
    const closed = await executions.mine.call('close', { params: { taskId: task.taskId } });

    expect(closed).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await executions.end(task)).toBe(false);
    expect((await executions.workspaceOf(task)).status).toBe('running');
    expect(await executions.end(task, new Date(Date.now() + 3 * 60_000))).toBe(true);
    expect((await executions.workspaceOf(task)).status).toBe('stopping');
  });
});

describe('the node of a task', () => {
  async function tell(
    task: Task,
    body: object,
    claims: { generation?: number; sub?: string; node?: string } = {},
  ) {
    const { workspaceId, generation, nodeId } = await executions.workspaceOf(task);
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', {
      claims: { sub: workspaceId, node: String(nodeId), generation, ...claims },
      now: new Date(),
    });
    const headers = { authorization: `Bearer ${token}` };
    const { projectId, taskId } = task;
    return executions.routes.call('tasks/status-callback', { params: { projectId, taskId }, headers, body });
  }

  it('tells how far it is and what came of it, and may tell it twice', async () => {
    const task = await executions.runUpTo('deliver-prompt');
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
    const [task, other] = [
      await executions.runUpTo('deliver-prompt'),
      await executions.runUpTo('look-at-workspace'),
    ];
    const { workspaceId, nodeId } = await executions.workspaceOf(other);

    const foreign = await tell(task, { toStatus: 'failed' }, { sub: workspaceId, node: String(nodeId) });
    const stale = await tell(task, { toStatus: 'failed' }, { generation: 0 });

    expect(foreign.status).toBe(404);
    expect(stale.status).toBe(410);
    expect((await executions.present(task)).status).toBe('in_progress');
  });
});

describe('the sweep', () => {
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  } as unknown as Sweep['log'];
  const later = (minutes: number): Sweep => ({
    table: executions.table,
    stepFunctions: executions.quiet,
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
    executions.started.length = 0;
  });

  it('starts an execution that was not started, and the end of one that has ended', async () => {
    const task = await executions.submitted();
    expect(await sweepTask(later(1), task)).toBe(false);
    expect(executions.started).toEqual([]);
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(executions.started).toEqual([`${task.taskId}-1-run`]);

    await executions.mine.call('cancel', { params: { taskId: task.taskId }, body: {} });
    expect(await sweepTask(later(3), task)).toBe(false);
    expect(executions.started.at(-1)).toBe(`${task.taskId}-1-end-0`);
    await executions.end(task);
    expect(await sweepTask(later(3), task)).toBe(true);
  });

  it('fails a task whose workspace was lost with its node, with its words and the branch', async () => {
    const task = await executions.runUpTo('deliver-prompt');
    await changeItem(executions.table, {
      key: workspaceKey(String(task.workspaceId)),
      set: {
        status: 'errored',
        errorMessage: 'Its node is gone.',
        statusChangedAt: new Date().toISOString(),
      },
      when: { exists: true },
    });
    await sweepTask(later(1), task);
    expect((await executions.present(task)).status).toBe('in_progress');
    await sweepTask(later(6), task);

    const failed = await executions.present(task);
    expect(failed.status).toBe('failed');
    expect(failed.errorMessage).toContain('Its node is gone.');
    expect(failed.errorMessage).toContain(String(task.outputBranch));
  });

  it('ends a task whose time is over only when nothing shows that its agent works', async () => {
    const task = await executions.runUpTo('deliver-prompt');
    const startedAt = new Date(Date.now() - 5 * 60 * 60_000).toISOString();
    await changeItem(executions.table, {
      key: taskKey(task.projectId, task.taskId),
      set: { startedAt },
      when: { exists: true },
    });
    const beat = (activityAt: string) =>
      changeItem(executions.table, {
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
    expect((await executions.present(task)).status).toBe('in_progress');
    await beat(startedAt);
    await sweepTask(later(0), task);
    expect(await executions.present(task)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('240 minutes'),
    });
  });
});
