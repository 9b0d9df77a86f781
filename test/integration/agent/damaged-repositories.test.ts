import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';

describe.each(rolesHere)('a damaged repository, role %s', (role) => {
  let started: StartedWorkspaces;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role);
  });

  afterAll(() => started[Symbol.asyncDispose]());

  async function call(method: string, path: string, body?: object) {
    const { agent, fake, workspaceId } = started;
    return agent.call(method, `/workspaces/${workspaceId}/${path}`, await fake.terminal(workspaceId), body);
  }

  async function made(branch: string): Promise<string> {
    const { body } = await call('POST', 'worktrees', { branch, createBranch: true });
    return encodeURIComponent(String(body.path));
  }

  it('removes a locked worktree only by force', async () => {
    const path = await made('locked');
    started.shell('git worktree lock ../full-wt-locked');

    expect(await call('DELETE', `worktrees?path=${path}`)).toMatchObject({
      status: 409,
      body: { error: 'worktree_conflict' },
    });
    expect(await call('DELETE', `worktrees?path=${path}&force=true`)).toMatchObject({ status: 200 });
  });

  it('lists the other worktrees beside a damaged one, and marks that one dirty', async () => {
    const path = await made('damaged');
    started.shell('echo nothing >../full-wt-damaged/.git');

    expect(await call('GET', 'worktrees')).toMatchObject({
      status: 200,
      body: { worktrees: [{ branch: 'main' }, { branch: 'damaged' }] },
    });
    expect(await call('GET', `git/status?worktree=${path}`)).toMatchObject({ status: 404 });
    expect(await call('DELETE', `worktrees?path=${path}&force=true`)).toMatchObject({
      status: 409,
      body: { error: 'worktree_conflict' },
    });
  });

  it.each([
    'git/status',
    'git/diff',
    'git/diff?staged=true',
    'git/diff?path=hello.txt',
    'git/branches',
    'worktrees',
  ])('finds no repository where there is none any more: %s', async (route) => {
    started.shell('mv .git ../taken-away');

    try {
      expect(await call('GET', route)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    } finally {
      started.shell('mv ../taken-away .git');
    }
  });
});
