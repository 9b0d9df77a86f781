import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { grantItem } from '../../../lambdas/domain/code-host/grant.js';
import { sealGrant } from '../../../lambdas/domain/code-host/open-user-token.js';
import { TaskRuns } from '../../integration/tasks/task-runs.js';
import { codeHostDeadlines } from './code-host-deadlines.js';

// A task is submitted, and its person loses access to the repository before its workspace is made.

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());

beforeEach(() => runs.reset());

it('makes no workspace for a task whose person has no access any more', async () => {
  expect(codeHostDeadlines.taskStart.endsWithinSeconds).toBe(0);
  const task = await runs.submitted();
  const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
  const now = new Date();
  const grant = await sealGrant(
    secretBox,
    { userId: task.userId, version: now.getTime(), now },
    { accessToken: 'ghu_revoked', refreshToken: null, expiresIn: null },
  );
  await runs.table.client.send(new PutCommand({ TableName: runs.table.name, Item: grantItem(grant) }));

  await expect(runs.step('create-workspace', task)).rejects.toMatchObject({ name: 'CodeHostAccessLost' });

  expect((await runs.present(task)).workspaceId).toBeNull();
});
