import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gitTokenKey } from '../../../lambdas/domain/code-host/git-token.js';
import { CodeHostStage } from '../revocation/code-host-stage.js';
import { attempts } from '../run-length.js';

// A workspace tries to exhaust the code host's rate limit of the deployment's application.

let stage: CodeHostStage;

beforeAll(async () => {
  stage = await CodeHostStage.start();
  await stage.invite('push');
});

afterAll(() => stage[Symbol.asyncDispose]());

beforeEach(() => {
  stage.asked = [];
});

const many = attempts({ short: 60, long: 600 });
const statuses = (replies: readonly { readonly status: number }[]) => replies.map(({ status }) => status);

/** The minute in which the attack begins must not end in it. */
async function wholeMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 10_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
}

describe('a workspace', () => {
  it('is minted one token, however often it asks', async ({ task }) => {
    task.meta.attempts = many;
    const workspace = await stage.workspace();
    await wholeMinute();
    stage.asked = [];

    const first = await stage.gitToken(workspace);
    const later = [];
    for (let count = 0; count < many; count += 1) later.push(await stage.gitToken(workspace));

    expect(later.every(({ body }) => JSON.stringify(body) === JSON.stringify(first.body))).toBe(true);
    expect(stage.asked).toEqual(['POST /api/v3/app/installations/5001/access_tokens']);
  });

  it('is minted one token a minute when it calls each refused', async ({ task }) => {
    task.meta.attempts = many;
    const workspace = await stage.workspace();
    await wholeMinute();
    stage.asked = [];

    const replies = [];
    for (let count = 0; count < many; count += 1)
      replies.push(await stage.gitToken(workspace, { renew: true }));

    expect(new Set(statuses(replies))).toEqual(new Set([200, 429]));
    expect(replies.at(-1)).toMatchObject({
      body: { error: 'RATE_LIMIT_EXCEEDED' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(Number(replies.at(-1)?.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(stage.minted).toBe(1);
  });

  it('does not wait for the next minute after a restart', async () => {
    const workspace = await stage.workspace();
    await wholeMinute();
    await stage.gitToken(workspace);
    expect(await stage.gitToken(workspace, { renew: true })).toMatchObject({ status: 429 });

    const restarted = await stage.restart(workspace);

    expect(await stage.gitToken(restarted, { renew: true })).toMatchObject({ status: 200 });
  });

  it('is minted one token when it asks many times at once', async () => {
    const workspace = await stage.workspace();
    await wholeMinute();
    stage.asked = [];
    const request = await stage.callback(workspace);

    const replies = await Promise.all(
      Array.from({ length: many }, () => stage.unheld('callbacks/git-token', request)),
    );

    expect(stage.minted).toBe(1);
    expect(statuses(replies).filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(statuses(replies).every((status) => status === 200 || status === 429)).toBe(true);
  });

  it('has the code host asked once a minute when its owner has lost access', async () => {
    const workspace = await stage.workspace();
    await wholeMinute();
    await stage.invite(null);
    await stage.age(workspace, 600);
    stage.asked = [];

    for (let count = 0; count < many; count += 1) await stage.gitToken(workspace);

    expect(stage.asked).toEqual(['GET /api/v3/repos/octo/notes']);
    await stage.invite('push');
  });

  it('loses the refused token when it gets another', async () => {
    const workspace = await stage.workspace();
    const first = await stage.gitToken(workspace);
    await stage.forgetLimit(workspace);

    const second = await stage.gitToken(workspace, { renew: true });

    expect(await stage.gitAnswers(second)).toEqual({ fetch: 200, push: 200 });
    expect(await stage.gitAnswers(first)).toEqual({ fetch: 401, push: 401 });
  });

  it('leaves its token in the table only sealed', async () => {
    const workspace = await stage.workspace();
    const { token } = (await stage.gitToken(workspace)).body as { token: string };

    const stored = JSON.stringify(await stage.item(gitTokenKey(workspace.workspaceId)));

    expect(stored).not.toContain(token);
    expect(stored).toContain('"dataKey"');
  });
});
