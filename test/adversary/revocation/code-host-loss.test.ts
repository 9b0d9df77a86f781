import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gitTokenKey } from '../../../lambdas/domain/code-host/git-token.js';
import { codeHostDeadlines } from './code-host-deadlines.js';
import { CodeHostStage } from './code-host-stage.js';

// Hubot works in octo's private repository. Octo revokes the access while hubot's workspace runs.

let stage: CodeHostStage;
let myToken: string;

beforeAll(async () => {
  stage = await CodeHostStage.start();
  myToken = await stage.userToken();
});

afterAll(() => stage[Symbol.asyncDispose]());

beforeEach(async () => {
  await stage.invite('push');
  await stage.replaceUserToken(myToken);
  stage.asked = [];
});

const lost = {
  status: 403,
  body: { error: 'CODE_HOST_ACCESS_LOST', message: expect.stringContaining('octo/notes') },
};

it('ends git within 10 minutes', () => {
  for (const { endsWithinSeconds } of Object.values(codeHostDeadlines))
    expect(endsWithinSeconds ?? 0).toBeLessThanOrEqual(600);
});

describe('git in a running workspace', () => {
  const { newGitToken, givenGitToken, push } = codeHostDeadlines;

  it('gets no token from an owner without access, and the last one ends at the code host', async () => {
    const workspace = await stage.workspace();
    const before = await stage.gitToken(workspace);
    expect(await stage.gitAnswers(before)).toEqual({ fetch: 200, push: 200 });

    await stage.invite(null);
    await stage.age(workspace, newGitToken.endsWithinSeconds);

    expect(await stage.gitToken(workspace)).toMatchObject(lost);
    expect(await stage.gitAnswers(before)).toEqual({ fetch: 401, push: 401 });
    expect(await stage.item(gitTokenKey(workspace.workspaceId))).toBeUndefined();
    expect(givenGitToken.endsWithinSeconds).toBe(2 * newGitToken.endsWithinSeconds);
  });

  it('gets one again when its owner has access again', async () => {
    const workspace = await stage.workspace();
    await stage.invite(null);
    await stage.age(workspace, newGitToken.endsWithinSeconds);
    await stage.gitToken(workspace);
    await stage.invite('pull');
    await stage.forgetLimit(workspace);

    expect(await stage.gitAnswers(await stage.gitToken(workspace))).toEqual({ fetch: 200, push: 403 });
  });

  it('pushes no more for an owner who may only read any more', async () => {
    const workspace = await stage.workspace();
    const before = await stage.gitToken(workspace);

    await stage.invite('pull');
    await stage.age(workspace, push.endsWithinSeconds);
    const after = await stage.gitToken(workspace);

    expect(await stage.gitAnswers(after)).toEqual({ fetch: 200, push: 403 });
    expect(await stage.gitAnswers(before)).toEqual({ fetch: 401, push: 401 });
    expect(await stage.present(workspace.workspaceId)).toMatchObject({ repositoryPermission: 'read' });
  });

  it('takes a token of the owner that the code host refuses for lost access', async () => {
    const workspace = await stage.workspace();
    const before = await stage.gitToken(workspace);

    await stage.replaceUserToken('ghu_revoked');
    await stage.age(workspace, newGitToken.endsWithinSeconds);

    const reply = await stage.gitToken(workspace);
    expect(reply).toMatchObject({ status: 403, body: { error: 'CODE_HOST_ACCESS_LOST' } });
    expect(JSON.stringify(reply)).not.toContain('ghu_');
    expect(await stage.gitAnswers(before)).toEqual({ fetch: 401, push: 401 });
  });

  it('gets a token in the right of its owner, not of who asked for it first', async () => {
    const workspace = await stage.workspace();
    await stage.age(workspace, newGitToken.endsWithinSeconds);
    stage.asked = [];

    await stage.gitToken(workspace);

    expect(stage.asked).toEqual([
      'GET /api/v3/repos/octo/notes',
      'POST /api/v3/app/installations/5001/access_tokens',
    ]);
  });
});

describe('a git token that a program of the workspace has copied', () => {
  it('ends when the workspace is stopped', async () => {
    const workspace = await stage.workspace();
    const copied = await stage.gitToken(workspace);

    await stage.stop(workspace);

    expect(await stage.gitAnswers(copied)).toEqual({ fetch: 401, push: 401 });
    expect(await stage.item(gitTokenKey(workspace.workspaceId))).toBeUndefined();
  });

  it('does not keep a workspace from being stopped while the code host does not answer', async () => {
    const workspace = await stage.workspace();
    await stage.gitToken(workspace);

    stage.isCodeHostAway = true;
    await stage.stop(workspace).finally(() => {
      stage.isCodeHostAway = false;
    });

    expect((await stage.present(workspace.workspaceId)).status).toBe('stopped');
    expect(await stage.item(gitTokenKey(workspace.workspaceId))).toBeDefined();
  });
});

it('answers 503 while the code host does not answer, and gives nothing', async () => {
  const workspace = await stage.workspace();
  const stopped = await stage.workspace('stopped');
  for (const one of [workspace, stopped]) await stage.age(one, codeHostDeadlines.restart.endsWithinSeconds);
  const params = { workspaceId: stopped.workspaceId };

  stage.isCodeHostAway = true;
  const replies = [await stage.gitToken(workspace), await stage.call('workspaces/restart', { params })];
  stage.isCodeHostAway = false;

  for (const reply of replies)
    expect(reply).toMatchObject({
      status: 503,
      body: { error: 'CODE_HOST_UNAVAILABLE' },
      headers: { 'retry-after': '10' },
    });
});

describe.each([
  ['restart', 'stopped'],
  ['restart', 'evicted'],
  ['rebuild', 'running'],
] as const)('a %s of a %s workspace', (what, status) => {
  const { endsWithinSeconds } = codeHostDeadlines[what];

  it('is refused to an owner without access, and changes nothing', async () => {
    const { workspaceId, ...workspace } = await stage.workspace(status);
    await stage.invite(null);
    await stage.age({ ...workspace, workspaceId }, endsWithinSeconds);
    const before = await stage.present(workspaceId);

    const reply = await stage.call(`workspaces/${what}`, { params: { workspaceId } });

    expect(reply).toMatchObject(lost);
    expect(await stage.present(workspaceId)).toEqual(before);
  });

  it('is refused to an owner whose token the code host refuses', async () => {
    const workspace = await stage.workspace(status);
    await stage.replaceUserToken('ghu_revoked');
    await stage.age(workspace, endsWithinSeconds);

    const { workspaceId } = workspace;
    expect(await stage.call(`workspaces/${what}`, { params: { workspaceId } })).toMatchObject({
      status: 403,
      body: { error: 'CODE_HOST_ACCESS_LOST' },
    });
  });

  it('goes on for an owner with access, and remembers the check', async () => {
    const workspace = await stage.workspace(status);
    await stage.age(workspace, endsWithinSeconds);
    const { workspaceId } = workspace;
    const before = await stage.present(workspaceId);

    expect((await stage.call(`workspaces/${what}`, { params: { workspaceId } })).status).toBe(202);

    const { repositoryCheckedAt = '' } = await stage.present(workspaceId);
    expect(repositoryCheckedAt > (before.repositoryCheckedAt ?? '')).toBe(true);
  });
});

it('refuses a rebuild of a failed workspace to an owner without access', async () => {
  const workspace = await stage.workspace('errored');
  await stage.invite(null);
  await stage.age(workspace, codeHostDeadlines.rebuild.endsWithinSeconds);

  const { workspaceId } = workspace;
  expect(await stage.call('workspaces/rebuild', { params: { workspaceId } })).toMatchObject(lost);
});

describe('what stays in a running workspace whose owner has no access any more', () => {
  it('is its terminal', async () => {
    const { workspaceId } = await stage.workspace();
    await stage.invite(null);
    expect(codeHostDeadlines.terminal.endsWithinSeconds).toBeNull();

    const reply = await stage.call('terminal/token', { body: { workspaceId } });

    expect(reply.status).toBe(200);
  });

  it('is its agent session', async () => {
    const workspace = await stage.workspace();
    await stage.invite(null);
    expect(codeHostDeadlines.agentSession.endsWithinSeconds).toBeNull();

    const request = await stage.callback(workspace, { agentType: 'claude-code' });

    expect((await stage.call('callbacks/agent-settings', request)).status).toBe(200);
  });
});
