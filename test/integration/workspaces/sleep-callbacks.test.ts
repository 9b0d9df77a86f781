import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { type Sleeper, SleepStage } from './sleep-stage.js';

let stage: SleepStage;

beforeAll(async () => {
  stage = await SleepStage.start();
});

beforeEach(() => {
  stage.answers.length = 0;
});

const other = { sizeBytes: 4, sha256: 'b'.repeat(64) };

/** A workspace whose step waits, with a capture begun. */
async function capturing() {
  const sleeper = await stage.sleeper();
  const claim = await stage.claim(sleeper);
  await stage.run('capture', sleeper, claim, { taskToken: 'of-capture' });
  const { generation } = (await stage.prepare(sleeper, claim)).body;
  return { sleeper, claim, generation };
}

const upload = (sleeper: Sleeper, generation: number, more: object = {}) =>
  stage.call('upload-url', sleeper, {
    params: { artifact: 'wip' },
    body: { chatSessionId: sleeper.chatId, generation, ...other, ...more },
  });

const progress = (sleeper: Sleeper, operationId: string) =>
  stage.call('progress', sleeper, {
    body: { chatSessionId: sleeper.chatId, operationId, step: 'wip-capture' },
  });

const failure = (sleeper: Sleeper, generation: number, operationId: string) =>
  stage.call('failure', sleeper, {
    body: { chatSessionId: sleeper.chatId, generation, operationId, error: 'disk full' },
  });

const asWorkspace = (sleeper: Sleeper, change: Partial<Workspace>): Sleeper => ({
  ...sleeper,
  workspace: { ...sleeper.workspace, ...change },
});

describe('prepare', () => {
  it('returns the same generation for the same operation, and the next one for the next', async () => {
    const { sleeper, claim, generation } = await capturing();

    const again = await stage.prepare(sleeper, claim);
    await stage.fail(sleeper, claim, 'SleepCancelled');
    const next = await stage.prepare(sleeper, await stage.claim(sleeper, 'person'));

    expect([generation, again.body.generation, next.body.generation]).toEqual([1, 1, 2]);
    expect(again.body).toMatchObject({ config: { totalBudgetBytes: 268_435_456 } });
  });

  it('has one generation when the node sends it several times at once', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);

    const replies = await Promise.all([1, 2, 3].map(() => stage.prepare(sleeper, claim)));

    expect(replies.map(({ body }) => body.generation)).toEqual([1, 1, 1]);
  });
});

describe('progress', () => {
  it('is the heartbeat of the waiting step', async () => {
    const { sleeper, claim } = await capturing();

    expect((await progress(sleeper, claim.claimId)).status).toBe(204);

    expect(stage.answers).toMatchObject([
      { name: 'SendTaskHeartbeatCommand', input: { taskToken: 'of-capture' } },
    ]);
  });
});

describe('failure', () => {
  it('fails the waiting step with the reason of the node', async () => {
    const { sleeper, claim, generation } = await capturing();

    expect((await failure(sleeper, generation, claim.claimId)).status).toBe(204);

    expect(stage.answers).toMatchObject([
      { name: 'SendTaskFailureCommand', input: { error: 'CaptureFailed', cause: 'disk full' } },
    ]);
  });
});

describe('upload-url', () => {
  it('signs the length and the hash of the object', async () => {
    const { sleeper, generation } = await capturing();

    const { body, status } = await upload(sleeper, generation);

    expect(status).toBe(200);
    expect(body.headers).toEqual({
      'content-length': '4',
      'x-amz-checksum-sha256': Buffer.from(other.sha256, 'hex').toString('base64'),
    });
    expect(body.uploadUrl).toContain('content-length%3Bhost%3Bx-amz-checksum-sha256');
  });

  it('refuses what exceeds the budget of both objects', async () => {
    const { sleeper, generation } = await capturing();
    await upload(sleeper, generation, { sizeBytes: 268_435_456 });

    const { status } = await stage.call('upload-url', sleeper, {
      params: { artifact: 'home' },
      body: { chatSessionId: sleeper.chatId, generation, sizeBytes: 1, sha256: other.sha256 },
    });

    expect(status).toBe(413);
  });
});

describe('complete', () => {
  it('ends the step again when the node repeats it', async () => {
    const { sleeper, claim, generation } = await capturing();
    await stage.upload(sleeper, generation, 'home', 'home');
    await stage.upload(sleeper, generation, 'wip', 'wip');
    const manifest = stage.manifest(sleeper);

    const replies = [
      await stage.complete(sleeper, claim, generation, manifest),
      await stage.complete(sleeper, claim, generation, manifest),
    ];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(stage.answers.map(({ name }) => name)).toEqual([
      'SendTaskSuccessCommand',
      'SendTaskSuccessCommand',
    ]);
    const changed = await stage.complete(sleeper, claim, generation, { ...manifest, skippedCount: 1 });
    expect([changed.status, changed.body.error]).toEqual([409, 'STALE']);
  });

  it.each([
    ['another workspace', { workspaceId: newId() }],
    ['another chat', { chatSessionId: newId() }],
    ['another agent session', { agentSessionId: newId() }],
    ['an object whose upload was not authorized', { artifacts: { home: null, wip: other } }],
  ])('refuses a manifest that names %s', async (_, change) => {
    const { sleeper, claim, generation } = await capturing();
    const before = await stage.record(sleeper);

    const reply = await stage.complete(sleeper, claim, generation, {
      ...stage.manifest(sleeper, { home: null, wip: null }),
      ...change,
    });

    expect(reply.status).toBe(400);
    expect(await stage.record(sleeper)).toEqual(before);
    expect(await stage.objects(sleeper)).toEqual([]);
  });
});

describe('restore-result', () => {
  it.each([
    ['path', 4_096],
    ['reason', 2_048],
  ])('refuses a missing part whose %s has more than %i characters', async (name, most) => {
    const sleeper = await stage.sleeper();
    const report = (length: number) =>
      stage.call('restore-result', sleeper, {
        body: {
          chatSessionId: sleeper.chatId,
          operationId: newId(),
          status: 'degraded',
          message: null,
          missing: [{ part: 'work', path: 'repo', reason: 'lost', [name]: 'x'.repeat(length) }],
          sessions: [],
        },
      });

    const [longest, longer] = [await report(most), await report(most + 1)];

    expect(longest).toMatchObject({ status: 409, body: { error: 'STALE' } });
    expect(longer).toMatchObject({ status: 400, body: { details: [{ field: `body.missing.0.${name}` }] } });
  });
});

describe('every callback is refused, and changes nothing,', () => {
  const all = (sleeper: Sleeper, operationId: string, generation: number) =>
    Promise.all([
      stage.prepare(sleeper, { claimId: operationId, generation: 1, chatSessionId: sleeper.chatId }),
      progress(sleeper, operationId),
      failure(sleeper, generation, operationId),
      upload(sleeper, generation),
      stage.complete(
        sleeper,
        { claimId: operationId, generation: 1, chatSessionId: sleeper.chatId },
        generation,
        stage.manifest(sleeper, { home: null, wip: null }),
      ),
    ]);

  it('of an ended claim', async () => {
    const { sleeper, claim, generation } = await capturing();
    await stage.fail(sleeper, claim, 'SleepCancelled');
    const before = [await stage.row(sleeper), await stage.record(sleeper)];

    const replies = await all(sleeper, claim.claimId, generation);

    expect(replies.map(({ status, body }) => [status, body.error])).toEqual(
      replies.map(() => [409, 'STALE']),
    );
    expect([await stage.row(sleeper), await stage.record(sleeper)]).toEqual(before);
    expect(stage.answers).toEqual([]);
  });

  it('of an earlier capture', async () => {
    const { sleeper, claim } = await capturing();
    await stage.fail(sleeper, claim, 'SleepCancelled');
    const next = await stage.claim(sleeper, 'person');
    await stage.prepare(sleeper, next);
    const before = await stage.record(sleeper);

    const replies = await all(sleeper, claim.claimId, 1);

    expect(replies.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(await stage.record(sleeper)).toEqual(before);
  });

  it('of an earlier generation of the workspace', async () => {
    const { sleeper, claim, generation } = await capturing();
    const { workspaceId } = sleeper.workspace;
    await changeWorkspace(stage.table, { workspaceId, set: { generation: 2 }, now: new Date() });
    const before = await stage.record(sleeper);

    const replies = await all(sleeper, claim.claimId, generation);

    expect(replies.map(({ status }) => status)).toEqual([410, 410, 410, 410, 410]);
    expect(await stage.record(sleeper)).toEqual(before);
  });

  it('of another node', async () => {
    const { sleeper, claim, generation } = await capturing();

    const replies = await all(asWorkspace(sleeper, { nodeId: newId() }), claim.claimId, generation);

    expect(replies.map(({ status }) => status)).toEqual([410, 410, 410, 410, 410]);
  });

  it('for another workspace than that of the token', async () => {
    const { sleeper, claim } = await capturing();
    const { workspace } = await stage.sleeper();
    const { status } = await stage.call('progress', sleeper, {
      params: { workspaceId: workspace.workspaceId },
      body: { chatSessionId: sleeper.chatId, operationId: claim.claimId, step: 'prepared' },
    });

    expect(status).toBe(403);
  });

  it('for a chat of another workspace', async () => {
    const { sleeper, claim, generation } = await capturing();
    const { chatId } = await stage.sleeper();

    const replies = await all({ ...sleeper, chatId }, claim.claimId, generation);

    // Progress names the operation alone.
    expect(replies.map(({ status }) => status)).toEqual([404, 204, 404, 404, 404]);
  });
});

describe('restore', () => {
  const restore = (sleeper: Sleeper, chatSessionId = sleeper.chatId) =>
    stage.call('restore', sleeper, { query: { chatSessionId } });

  it('returns addresses of the objects to a workspace that wakes, and to no other', async () => {
    const sleeper = await stage.sleeper();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    const { workspaceId } = sleeper.workspace;
    const unavailable = { available: false, reason: 'snapshot_missing_or_unavailable' };
    expect((await restore(sleeper)).body).toEqual(unavailable);
    const at = new Date().toISOString();
    const wake = { operationId: newId(), claimedAt: at, attempt: 1, phase: 'restoring' } as const;
    await changeWorkspace(stage.table, { workspaceId, set: { wake }, now: new Date() });

    const { body } = await restore(sleeper);
    const { download } = body as unknown as { download: { home: string; wip: string } };

    expect(body).toMatchObject({ available: true, status: 'available', manifest: { workspaceId } });
    expect(await (await fetch(download.home)).text()).toBe('home');
    expect(await (await fetch(download.wip)).text()).toBe('wip');
    expect((await restore(sleeper, newId())).body).toEqual(unavailable);
  });
});
