import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

describe('the status report of a node', () => {
  async function report(
    task: Task,
    body: object,
    claims: { generation?: number; sub?: string; node?: string } = {},
  ) {
    const { workspaceId, generation, nodeId } = await runs.workspaceOf(task);
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', {
      claims: { sub: workspaceId, node: String(nodeId), generation, ...claims },
      now: new Date(),
    });
    const headers = { authorization: `Bearer ${token}` };
    const { projectId, taskId } = task;
    return runs.routes.call('tasks/status-callback', { params: { projectId, taskId }, headers, body });
  }

  it('sets the step and the result of the task, and can be repeated', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const waits = await report(task, { executionStep: 'awaiting_followup', outputSummary: 'Nearly' });
    const back = await report(task, { executionStep: 'running', toStatus: undefined });
    const done = { toStatus: 'completed', outputSummary: 'Done', outputPrUrl: 'https://code.example/pr/1' };

    expect(waits.body).toMatchObject({ executionStep: 'awaiting_followup', outputSummary: 'Nearly' });
    expect(back.body).toMatchObject({ executionStep: 'awaiting_followup' });
    expect((await report(task, done)).status).toBe(200);
    expect(await report(task, done)).toMatchObject({
      status: 200,
      body: { status: 'completed', outputSummary: 'Done', outputPrUrl: 'https://code.example/pr/1' },
    });
    expect(await report(task, { toStatus: 'failed' })).toMatchObject({
      status: 409,
      body: { error: 'TASK_NOT_IN_STATE' },
    });
  });

  it('adds branch and pull request to a completed task, also when a message continues it', async () => {
    const task = await runs.runUpTo('deliver-prompt', { openPullRequest: true });
    await report(task, { toStatus: 'completed', outputSummary: 'Done' });
    const outputs = { outputBranch: 'svc/other', outputPrUrl: 'https://code.example/pr/1' };
    const gitPushResult = { pushed: true, commitSha: 'a'.repeat(40), branch: 'svc/other' };

    const added = await report(task, { ...outputs, gitPushResult, errorMessage: 'Ignored' });
    expect(added).toMatchObject({
      status: 200,
      body: {
        status: 'completed',
        outputSummary: 'Done',
        errorMessage: null,
        openPullRequest: true,
        ...outputs,
      },
    });
    expect(await report(task, { ...outputs, gitPushResult })).toEqual(
      expect.objectContaining({ status: 200, body: added.body }),
    );
    expect(await runs.end(task)).toBe(true);
    expect(await report(task, { outputPrUrl: 'https://code.example/pr/2' })).toMatchObject({
      status: 200,
      body: { outputPrUrl: 'https://code.example/pr/2' },
    });
    expect(await report(task, { toStatus: 'failed' })).toMatchObject({ status: 409 });
  });

  it('is refused when the pull request is not a web address', async () => {
    const task = await runs.runUpTo('deliver-prompt');

    expect(await report(task, { outputPrUrl: 'javascript:alert(1)' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.outputPrUrl' }] },
    });
  });

  it('is refused for a task of another workspace, and from an earlier generation', async () => {
    const [task, other] = [await runs.runUpTo('deliver-prompt'), await runs.runUpTo('check-workspace')];
    const { workspaceId, nodeId } = await runs.workspaceOf(other);

    const foreign = await report(task, { toStatus: 'failed' }, { sub: workspaceId, node: String(nodeId) });
    const stale = await report(task, { toStatus: 'failed' }, { generation: 0 });

    expect(foreign.status).toBe(404);
    expect(stale.status).toBe(410);
    expect((await runs.present(task)).status).toBe('in_progress');
  });
});
