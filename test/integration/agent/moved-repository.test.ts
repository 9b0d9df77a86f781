import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './preview-client.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';

describe.each(rolesHere)('a repository whose folder was moved, role %s', (role) => {
  let started: StartedWorkspaces;
  let root: string;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role);
    root = started.root;
    await call('POST', 'worktrees', { branch: 'gone', createBranch: true });
    started.shell('mv full elsewhere && rm -r full-wt-gone', '');
  });

  afterAll(() => started[Symbol.asyncDispose]());

  async function call(method: string, path: string, body?: object) {
    const { agent, fake, workspaceId } = started;
    return agent.call(method, `/workspaces/${workspaceId}/${path}`, await fake.terminal(workspaceId), body);
  }

  async function upload(destination: string) {
    const { agent, fake, workspaceId } = started;
    const body = new FormData();
    body.set('destination', destination);
    body.set('files', new Blob(['text']), 'new.txt');
    const form = new Response(body);
    return ask(agent, {
      method: 'POST',
      path: `/workspaces/${workspaceId}/files/upload`,
      headers: {
        authorization: `Bearer ${await fake.terminal(workspaceId)}`,
        'content-type': form.headers.get('content-type') ?? '',
      },
      body: Buffer.from(await form.arrayBuffer()),
    });
  }

  it.each([
    'files/list',
    'files/find?query=hello',
    'files/raw?path=hello.txt',
    'files/download?path=hello.txt',
    'files/download?path=.',
    'git/status',
    'git/diff',
    'git/file?path=hello.txt',
    'git/branches',
    'worktrees',
  ])('is reported as gone: %s', async (route) => {
    expect(await call('GET', route)).toMatchObject({
      status: 404,
      body: { error: 'not_found', message: expect.stringContaining('moved or deleted') },
    });
  });

  it('is not created by an upload into it; an upload beside it works', async () => {
    expect((await upload('inner')).status).toBe(404);
    expect((await upload(`${root}/beside`)).status).toBe(200);
    expect(await call('GET', `files/list?path=${root}/beside`)).toMatchObject({
      status: 200,
      body: { entries: [{ name: 'new.txt' }] },
    });
  });

  it('keeps everything else of the workspace accessible', async () => {
    const { status, body } = await call('GET', `files/list?path=${root}`);

    expect(status).toBe(200);
    expect(body.entries).toContainEqual(expect.objectContaining({ name: 'elsewhere', type: 'dir' }));
    expect(body.entries).not.toContainEqual(expect.objectContaining({ name: 'full' }));
    expect(await call('GET', `files/find?path=${root}&query=hello`)).toMatchObject({
      status: 200,
      body: { files: ['elsewhere/hello.txt'] },
    });
  });

  it('works again once it is back, and a missing worktree is reported', async () => {
    started.shell('mv elsewhere full', '');
    const gone = encodeURIComponent(`${root}/full-wt-gone`);

    expect(await call('GET', 'git/status')).toMatchObject({ status: 200 });
    expect(await call('GET', `git/status?worktree=${gone}`)).toMatchObject({ status: 404 });
    expect(await call('GET', `files/list?worktree=${gone}`)).toMatchObject({ status: 404 });
  });
});
