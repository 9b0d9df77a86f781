import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { keepBeforeSleep } from '../../../lambdas/domain/tasks/keep-changes.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { taskKey } from '../../../lambdas/domain/tasks/task.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import { signIn } from '../../support/sign-in.js';
import { testObjects } from '../../support/uploads.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import type { NodeRequest } from '../workspaces/node-stub.js';
import { answerAsNode, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['tasks/changes', 'tasks/delete']);
});
afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

const status = { staged: [], unstaged: [], untracked: [{ path: 'new', status: '??' }], truncated: false };
const diff = { filePath: null, diff: 'diff --git a/x b/x\n', truncated: true };

const answersGit = (request: NodeRequest) => {
  if (request.path.includes('/git/status')) return { status: 200, body: status };
  if (request.path.includes('/git/diff')) return { status: 200, body: diff };
  return answerAsNode(request);
};
const changes = ({ taskId }: Task, cookie = runs.mine.owner.cookie) =>
  runs.mine.call('changes', { params: { taskId }, cookies: [cookie] });
const cancel = ({ taskId }: Task) => runs.mine.call('cancel', { params: { taskId }, body: {} });
const notKept = (reason: RegExp) => ({
  status: 404,
  body: { error: 'CHANGES_NOT_KEPT', message: expect.stringMatching(reason) },
});
const gitRequests = () => runs.node.seen.filter((path) => path.includes('/git/'));

describe('the changes of a task', () => {
  it('are kept at its end, once, for its creator, until the task is deleted', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    runs.node.onRequest = async (request) => answersGit(request);
    expect(await changes(task)).toMatchObject(notKept(/when the task ends/));
    await cancel(task);
    expect(await runs.end(task)).toBe(true);

    const base = 'origin/main';
    const kept = await changes(task);
    expect(kept).toMatchObject({ status: 200, body: { base, status, diff } });
    expect(gitRequests()).toEqual([
      expect.stringContaining('/git/status'),
      expect.stringMatching(/git\/diff\?base=origin%2Fmain/),
    ]);
    const other = await signIn(runs.table);
    await runs.mine.join(other, 'owner');
    expect(await changes(task, other.cookie)).toMatchObject({ status: 403 });
    expect((await changes(task, other.cookie)).body.error).toBe('NOT_TASK_CREATOR');

    // The saga repeats the step after a crash: by then the workspace may be away.
    const key = taskKey(task.projectId, task.taskId);
    await changeItem(runs.table, { key, remove: ['finalizedAt'], when: { exists: true } });
    runs.node.onRequest = async () => ({ status: 500, body: {} });
    expect(await runs.end(task)).toBe(true);
    expect((await changes(task)).body).toEqual(kept.body);

    expect(await runs.mine.call('delete', { params: { taskId: task.taskId } })).toMatchObject({
      status: 204,
    });
    expect((await changes(task)).body.error).toBe('NOT_FOUND');
  });

  it('contain files that git does not track, as far as the node gives them', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const untracked = ['new', 'refused', 'long'].map((path) => ({ path, status: '??' }));
    const replies: Readonly<Record<string, object>> = {
      new: { status: 200, body: { filePath: 'new', diff: 'diff --git a/new b/new\n', truncated: false } },
      long: { status: 200, body: { filePath: 'long', diff: 'diff --git a/long', truncated: true } },
      refused: { status: 404, body: { error: 'not_found' } },
    };
    runs.node.onRequest = async (request) => {
      const url = new URL(request.path, 'http://node');
      const path = url.searchParams.get('path');
      if (path !== null) return replies[path] as never;
      if (url.pathname.endsWith('/git/status')) return { status: 200, body: { ...status, untracked } };
      if (url.pathname.endsWith('/git/diff')) return { status: 200, body: { ...diff, truncated: false } };
      return answerAsNode(request);
    };
    await cancel(task);
    expect(await runs.end(task)).toBe(true);

    const { body } = await changes(task);
    expect(body).toMatchObject({
      status: { untracked },
      diff: { diff: `${diff.diff}diff --git a/new b/new\n`, truncated: false },
    });
  });

  it('are those before the sleep when the task ends while its workspace sleeps', async () => {
    const task = await runs.runUpTo('deliver-prompt');
    const workspace = await runs.workspaceOf(task);
    runs.node.onRequest = async (request) => answersGit(request);
    const parts = { keys: signingKeys(), objects: testObjects(), log: rootLog, now: new Date() };
    await keepBeforeSleep({ table: runs.table, ...parts }, workspace, task.taskId);
    const key = workspaceKey(workspace.workspaceId);
    await changeItem(runs.table, { key, set: { status: 'sleeping' }, when: { exists: true } });
    const asked = gitRequests().length;
    await cancel(task);
    expect(await runs.end(task)).toBe(true);

    expect(await changes(task)).toMatchObject({ status: 200, body: { status, diff } });
    expect(gitRequests()).toHaveLength(asked);
  });

  it('are missing with the reason, and the end goes on', async () => {
    const failing = await runs.runUpTo('deliver-prompt');
    runs.node.onRequest = async ({ path }) =>
      path.includes('/git/') ? { status: 504, body: { error: 'timed_out' } } : undefined;
    await cancel(failing);
    expect(await runs.end(failing)).toBe(true);
    expect(await changes(failing)).toMatchObject(notKept(/did not report the changes/));

    runs.node.onRequest = async (request) => answersGit(request);
    const stopped = await runs.runUpTo('deliver-prompt');
    const { workspaceId } = await runs.workspaceOf(stopped);
    const key = workspaceKey(workspaceId);
    await changeItem(runs.table, { key, set: { status: 'stopped' }, when: { exists: true } });
    await cancel(stopped);
    expect(await runs.end(stopped)).toBe(true);
    expect(await changes(stopped)).toMatchObject(notKept(/was stopped when/));

    const neverBegun = await runs.submitted();
    await cancel(neverBegun);
    expect(await runs.end(neverBegun)).toBe(true);
    expect(await changes(neverBegun)).toMatchObject(notKept(/No agent had worked/));
  });
});
