import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;
beforeAll(async () => {
  runs = await TaskRuns.start(['callbacks/agent-activity', 'callbacks/messages']);
});
afterAll(async () => runs[Symbol.asyncDispose]());
beforeEach(async () => runs.reset());

interface Activity {
  readonly activity: string;
  readonly statusError?: string;
  readonly promptStartedAt?: number;
}

async function reporterOf(task: Task) {
  const { workspaceId, nodeId, generation } = await runs.workspaceOf(task);
  const claims = { sub: workspaceId, node: String(nodeId), generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  return { nodeId, workspaceId, generation, headers: { authorization: `Bearer ${token}` } };
}

async function report(task: Task, said: Activity) {
  const { headers, ...by } = await reporterOf(task);
  const { status } = await runs.routes.call('callbacks/agent-activity', {
    params: { projectId: task.projectId, sessionId: String(task.agentSessionId) },
    headers,
    body: { ...by, restartCount: 0, ...said },
  });
  expect(status).toBe(204);
}

let sequence = 0;
async function reportWithMessage(task: Task, doing: Activity) {
  const { headers, generation, workspaceId } = await reporterOf(task);
  const { projectId, taskId, agentSessionId } = task;
  sequence += 1;
  const { body } = await runs.routes.call('callbacks/messages', {
    params: { workspaceId },
    headers,
    body: {
      generation,
      messages: [conversationMessage(taskId, sequence)],
      activity: { projectId, agentSessionId, restartCount: 0, ...doing },
    },
  });
  expect(body).toMatchObject({ persisted: 1, activityTaken: true });
}

const noKey = { activity: 'error', statusError: 'No credential for Claude Code is stored' };

describe('an agent that cannot be started', () => {
  it.each(['create-agent-session', 'deliver-prompt'] as const)(
    'fails its task with the error of its node, whether after %s or not',
    async (last) => {
      const task = await runs.runUpTo(last);
      await report(task, noKey);

      const { status, errorMessage, finalizedAt, outputBranch } = await runs.present(task);
      expect({ status, finalizedAt }).toEqual({ status: 'failed', finalizedAt: null });
      expect(errorMessage).toBe(
        `No credential for Claude Code is stored. Fix the cause, then run the task again. Pushed commits are on the branch ${outputBranch}.`,
      );
    },
  );

  it('changes nothing when reported twice, or after the task has ended', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    await report(task, noKey);
    const failed = await runs.present(task);
    await report(task, { ...noKey, statusError: 'Another word' });
    expect(await runs.present(task)).toEqual(failed);
  });

  it('keeps a conversation open, and shows the error until the agent is idle without an error', async () => {
    const task = await runs.runUpTo('deliver-prompt', { request: { taskMode: 'conversation' } });
    const waiting = { status: 'in_progress', executionStep: 'awaiting_followup' };
    await report(task, noKey);
    expect(await runs.present(task)).toMatchObject({ ...waiting, errorMessage: noKey.statusError });

    await report(task, { activity: 'prompting', promptStartedAt: 1 });
    await report(task, { activity: 'idle' });
    expect(await runs.present(task)).toMatchObject({ ...waiting, errorMessage: null });
  });
});

it.each([
  ['in its own request', report],
  ['with its last message', reportWithMessage],
])('a failed turn, reported %s, sets the error of its task, which continues', async (_, reportOf) => {
  const task = await runs.runUpTo('deliver-prompt');
  for (const statusError of ['The provider refuses the key', 'The model is unknown']) {
    await reportOf(task, { activity: 'idle', statusError });
    expect(await runs.present(task)).toMatchObject({
      status: 'in_progress',
      executionStep: 'awaiting_followup',
      errorMessage: statusError,
    });
  }
});
