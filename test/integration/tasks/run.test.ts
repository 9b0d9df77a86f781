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
  it('makes one workspace, on the branch of the task, however often it is asked to', async () => {
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

  it('waits while the workspace is made, and is delegated to it once it runs', async () => {
    const task = await runs.submitted();
    await runs.step('create-workspace', task);
    expect(await runs.step('check-workspace', task)).toMatchObject({ runs: false });
    await runs.provision(task);
    expect(await runs.step('check-workspace', task)).toEqual({ runs: true, attachments: 0 });
    expect(await runs.step('check-workspace', task)).toEqual({ runs: true, attachments: 0 });

    expect(await runs.present(task)).toMatchObject({ status: 'delegated', executionStep: 'workspace_ready' });
  });

  it('makes one agent session, with tools, and says so in the chat', async () => {
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

  it('begins the agent with the message once, and is in progress', async () => {
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

  it('tries again later when the node does not take the message yet', async () => {
    const task = await runs.runUpTo('create-agent-session');
    runs.node.onRequest = async (request) =>
      request.path.endsWith('/agent-capabilities') ? { status: 503, body: {} } : answerAsNode(request);

    expect(await runs.step('deliver-prompt', task)).toEqual({ retryAfter: expect.any(Number) });
    expect((await runs.present(task)).status).toBe('delegated');
  });

  it('fails with the words of its workspace when that does not come to run', async () => {
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

  it('fails with words a person can act on when the repository is gone from their sight', async () => {
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
