import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectKey } from '../../../lambdas/domain/projects/project.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { changeTask } from '../../../lambdas/domain/tasks/change-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { commitFile } from '../../support/commit-file.js';
import { loadRoute } from '../../support/invoke.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['tasks/create', 'tasks/pull-request']);
});
afterAll(async () => runs[Symbol.asyncDispose]());
beforeEach(async () => {
  await runs.reset();
  const key = projectKey(runs.mine.projectId);
  await changeItem(runs.table, { key, set: { repository: 'octo/hello' }, when: { exists: true } });
});

const open = ({ taskId }: Task, body: object = {}, cookie = runs.mine.owner.cookie) =>
  runs.mine.call('pull-request', { params: { taskId }, body, cookies: [cookie] });
const repository = () => join(runs.repositories, 'octo', 'hello.git');
const push = ({ outputBranch }: Task) =>
  commitFile(repository(), { path: 'door.txt', content: 'closed\n', branch: String(outputBranch) });

describe('the pull request of a task', () => {
  it('is opened with the texts of the task, once, and its address is kept', async () => {
    const submitted = await runs.submitted();
    const set = { outputSummary: 'The door closes.' };
    const { task } = await changeTask(runs.table, { task: submitted, set, now: new Date() });
    push(task);

    const opened = await open(task);
    expect(opened, JSON.stringify(opened.body)).toMatchObject({
      status: 201,
      body: { number: expect.any(Number), url: expect.stringContaining('/octo/hello/pull/') },
    });
    expect(await open(task, { title: 'Another' })).toMatchObject({ status: 200, body: opened.body });
    const { url } = opened.body as unknown as { url: string };
    expect((await runs.present(task)).outputPrUrl).toBe(url);
    const page = await (await fetch(url)).text();
    expect(page).toContain(task.title);
    expect(page).toContain('The door closes.');
    expect(page).not.toContain('Another');
  });

  it('is against the branch that the task started from', async () => {
    const submitted = await runs.submitted();
    execFileSync('git', ['--git-dir', repository(), 'branch', 'release', 'main']);
    const set = { baseBranch: 'release' };
    const { task } = await changeTask(runs.table, { task: submitted, set, now: new Date() });
    push(task);

    const { body } = await open(task);
    const page = await (await fetch((body as unknown as { url: string }).url)).text();
    expect(page).toContain('into <code>release</code>');
  });

  it('takes the texts of the person, and refuses what no code host takes', async () => {
    const task = await runs.submitted();
    push(task);
    for (const [body, field] of [
      [{ title: ' ' }, 'body.title'],
      [{ title: 'two\nlines' }, 'body.title'],
      [{ title: 'x'.repeat(257) }, 'body.title'],
      [{ body: 'x'.repeat(60_001) }, 'body.body'],
    ] as const)
      expect(await open(task, body)).toMatchObject({ status: 400, body: { details: [{ field }] } });
    expect((await runs.present(task)).outputPrUrl).toBeNull();

    const { body } = await open(task, { title: ' <b>Mine</b> ', body: 'And why' });
    const page = await (await fetch((body as unknown as { url: string }).url)).text();
    expect(page).toContain('And why');
    expect(page).not.toContain('<b>Mine');
  });

  it('is one for two people who open it at the same moment', async () => {
    const task = await runs.submitted();
    push(task);
    // Two calls at once would not be held to the budget of one.
    const route = await loadRoute('tasks/pull-request');
    const { projectId, owner } = runs.mine;
    const request = { params: { projectId, taskId: task.taskId }, body: {}, cookies: [owner.cookie] };
    const [one, other] = await Promise.all([route(request), route(request)]);
    expect([200, 201]).toContain(one.status);
    expect(other.body).toEqual(one.body);
    expect(await open(task)).toMatchObject({ status: 200, body: one.body });
  });

  it('needs work that is pushed', async () => {
    const task = await runs.submitted();
    const nothing = { status: 409, body: { error: 'NOTHING_PUSHED' } };
    expect(await open(task)).toMatchObject(nothing);
    execFileSync('git', ['--git-dir', repository(), 'branch', String(task.outputBranch), 'main']);
    expect(await open(task)).toMatchObject(nothing);
    expect(await open({ ...task, taskId: await runs.mine.newTask() })).toMatchObject(nothing);
    expect((await runs.present(task)).outputPrUrl).toBeNull();
  });

  it('says in the words of the code host why it is refused for another reason', async () => {
    const submitted = await runs.submitted();
    const set = { baseBranch: 'gone' };
    const { task } = await changeTask(runs.table, { task: submitted, set, now: new Date() });
    push(task);

    expect(await open(task)).toMatchObject({
      status: 409,
      body: { error: 'PULL_REQUEST_REFUSED', message: expect.stringContaining('field base is invalid') },
    });
  });

  it('needs the right of who asks: in the project, and at the code host', async () => {
    const task = await runs.submitted();
    push(task);
    const refused = async (person: SignedIn) => open(task, {}, person.cookie);
    const viewer = await signIn(runs.table);
    await runs.mine.join(viewer, 'viewer');
    expect(await refused(viewer)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
    expect(await refused(await signIn(runs.table))).toMatchObject({ status: 404 });
    const withoutGrant = await signIn(runs.table);
    await runs.mine.join(withoutGrant, 'owner');
    const lost = { status: 403, body: { error: 'CODE_HOST_ACCESS_LOST' } };
    expect(await refused(withoutGrant)).toMatchObject(lost);
    const reader = await runs.signedIn('hubot');
    await runs.mine.join(reader, 'owner');
    expect(await refused(reader)).toMatchObject({
      ...lost,
      body: { ...lost.body, message: expect.stringContaining('write access to octo/hello') },
    });
  });
});
