import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { answerAsNode, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

describe('an execution', () => {
  it('creates one workspace on the branch of the task, also when repeated', async () => {
    const task = await runs.submitted();
    const first = await runs.step('create-workspace', task);
    const again = await runs.step('create-workspace', task);

    expect(again).toEqual(first);
    expect(await runs.workspaceOf(task)).toMatchObject({
      status: 'pending',
      taskId: task.taskId,
      branch: task.outputBranch,
      baseBranch: 'main',
      repositoryPermission: 'write',
      projectId: runs.mine.projectId,
      resourceRequirements: { minVcpu: 2, exclusiveNode: false },
      gitAuthor: { name: expect.any(String), email: expect.any(String) },
    });
  });

  it('waits for the workspace, and delegates the task once the workspace runs', async () => {
    const task = await runs.submitted();
    await runs.step('create-workspace', task);
    expect(await runs.step('check-workspace', task)).toMatchObject({ runs: false });
    await runs.provision(task);
    expect(await runs.step('check-workspace', task)).toEqual({ runs: true, attachments: 0 });
    expect(await runs.step('check-workspace', task)).toEqual({ runs: true, attachments: 0 });

    expect(await runs.present(task)).toMatchObject({ status: 'delegated', executionStep: 'workspace_ready' });
  });

  it('creates one agent session with tools, and links the chat to it', async () => {
    const task = await runs.runUpTo('create-agent-session');
    await runs.step('create-agent-session', task);

    const [first, second] = runs.node.requests.filter(({ path }) => path.endsWith('/agent-sessions'));
    expect(first?.body).toMatchObject({
      sessionId: task.agentSessionId,
      chatSessionId: task.taskId,
      projectId: task.projectId,
      mcpServers: [{ url: 'http://localhost:8787/mcp', token: expect.any(String) }],
    });
    expect(second?.body.sessionId).toBe(task.agentSessionId);
    const chat = await runs.chatOf(task);
    expect(chat).toMatchObject({ workspaceId: task.workspaceId, agentSessionId: task.agentSessionId });
  });

  it('delivers the first message once, and moves the task to in_progress', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    expect(await runs.step('deliver-prompt', task)).toEqual({ retryAfter: null });

    const starts = runs.node.requests.filter(({ path }) => path.endsWith('/start'));
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

  it('retries later when the node does not accept the message yet', async () => {
    const task = await runs.runUpTo('create-agent-session');
    runs.node.onRequest = async (request) =>
      request.path.endsWith('/agent-capabilities') ? { status: 503, body: {} } : answerAsNode(request);

    expect(await runs.step('deliver-prompt', task)).toEqual({ retryAfter: expect.any(Number) });
    expect((await runs.present(task)).status).toBe('delegated');
  });

  it('fails with the error of its workspace when the workspace cannot run', async () => {
    const task = await runs.runUpTo('create-workspace');
    await changeItem(runs.table, {
      key: workspaceKey(String(task.workspaceId)),
      set: { status: 'errored', errorMessage: 'The clone failed: no space left.' },
      when: { exists: true },
    });

    await expect(runs.step('check-workspace', task)).rejects.toThrow('The clone failed');
    const cause = JSON.stringify({ errorMessage: 'The clone failed: no space left.' });
    const failure = { step: 'CheckWorkspace', error: 'WorkspaceNotMade', cause };
    await runs.step('fail-task', task, { failure });
    await runs.step('fail-task', task, { failure: { ...failure, cause: 'later' } });

    expect(await runs.present(task)).toMatchObject({
      status: 'failed',
      errorMessage: 'The clone failed: no space left.',
    });
  });

  it('fails with an actionable message when the person has lost access to the repository', async () => {
    const task = await runs.submitted();
    await changeItem(runs.table, {
      key: { pk: `PROJECT#${runs.mine.projectId}`, sk: 'PROJECT' },
      set: { repository: 'mallory/secrets' },
      when: { exists: true },
    });

    await expect(runs.step('create-workspace', task)).rejects.toMatchObject({ name: 'NotFound' });
    const failure = {
      step: 'CreateWorkspace',
      error: 'NotFound',
      cause: JSON.stringify({ errorMessage: 'Repository not found' }),
    };
    await runs.step('fail-task', task, { failure });
    expect((await runs.present(task)).errorMessage).toContain('Check your access on the code host');
  });
});
