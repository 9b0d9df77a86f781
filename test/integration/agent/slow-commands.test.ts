import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';

describe.each(rolesHere)('a slow command in a workspace, role %s', (role) => {
  let started: StartedWorkspaces;

  beforeAll(async () => {
    const times = { GIT_EXEC_TIMEOUT: '1s', GIT_WORKTREE_TIMEOUT: '3s', FILE_ARCHIVE_TIMEOUT: '1s' };
    started = await StartedWorkspaces.start(role, 1, times);
  });

  afterAll(() => started[Symbol.asyncDispose]());

  it('fails a status instead of reporting a clean repository', async () => {
    const { agent, fake, workspaceId } = started;
    // Git waits for somebody to write into the pipe.
    started.shell('echo x >new.txt && cp .git/config ../config && mkfifo .git/pipe');
    started.shell('git config include.path pipe');

    expect(
      await agent.call('GET', `/workspaces/${workspaceId}/git/status`, await fake.terminal(workspaceId)),
    ).toMatchObject({ status: 504, body: { error: 'timed_out' } });
    started.shell('mv ../config .git/config');
  });

  it('leaves no incomplete worktree, so that the next attempt succeeds', async () => {
    const { agent, fake, workspaceId } = started;
    const route = `/workspaces/${workspaceId}/worktrees`;
    const token = await fake.terminal(workspaceId);
    // Read when the files of the new worktree are written.
    started.shell('mkdir -p .git/info && mkfifo .git/info/attributes');

    expect(await agent.call('POST', route, token, { branch: 'new', createBranch: true })).toMatchObject({
      status: 504,
      body: { error: 'timed_out' },
    });

    started.shell('rm .git/info/attributes');
    expect(await agent.call('POST', route, token, { branch: 'new', createBranch: true })).toMatchObject({
      status: 201,
      body: { branch: 'new', isDirty: false },
    });
  });

  it('breaks the connection of a folder download', async () => {
    const { agent, fake, workspaceId } = started;
    started.shell('mkdir endless && truncate -s 400G endless/nothing');
    const token = await fake.terminal(workspaceId);
    const path = `/workspaces/${workspaceId}/files/download?path=endless&token=${token}`;

    const isWhole = await new Promise((resolve, reject) => {
      const address = { host: '127.0.0.1', port: agent.port, ca: agent.certificate(), path };
      const sent = request(address, (answer) => {
        answer.resume().on('close', () => resolve(answer.complete));
        answer.on('error', () => undefined);
      });
      sent.on('error', reject).end();
    });

    expect(isWhole).toBe(false);
  });
});
