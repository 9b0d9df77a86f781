import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeChat } from '../../../lambdas/domain/chats/change-chat.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import type { Sleeper } from '../workspaces/sleep-stage.js';
import { EvictionStage } from './eviction-stage.js';

let stage: EvictionStage;

beforeAll(async () => {
  stage = await EvictionStage.start();
});

beforeEach(() => {
  stage.sleeping.answers.length = 0;
});

const state = async (sleeper: Sleeper) => [await stage.row(sleeper), await stage.record(sleeper)];

const prompting = (sleeper: Sleeper) =>
  changeChat(stage.table, sleeper.chatId, {
    set: {
      activity: {
        ...{ activity: 'prompting', activityAt: new Date().toISOString(), promptStartedAt: Date.now() },
        ...{ agentType: 'claude-code', restartCount: 0, statusError: null },
      },
    },
    now: new Date(),
  });

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);
/** A sweep that can start no saga: none may be started here. */
const sweep = (sleeper: Sleeper, now: Date) =>
  sweepWorkspace(
    {
      ...{ table: stage.table, now, log: { debug() {}, info() {}, warn() {}, error() {} } },
      ...{ zone: undefined, budgets: newBudgets() },
    } as unknown as Sweep,
    sleeper.workspace.workspaceId,
  );

describe('the claim of an eviction', () => {
  it('is made by the node, also while an agent works, and the workspace runs on', async () => {
    const sleeper = await stage.running();
    await prompting(sleeper);
    const claimId = newId();

    const replies = [await stage.prepare(sleeper, claimId), await stage.prepare(sleeper, claimId)];

    expect(replies.map(({ status, body }) => [status, body.generation])).toEqual([
      [200, 1],
      [200, 1],
    ]);
    expect(await stage.row(sleeper)).toMatchObject({
      status: 'running',
      sleep: { claimId, by: 'eviction', phase: 'capturing', from: 'running' },
    });
    expect((await stage.record(sleeper))?.capture?.eviction).toMatchObject({ reason: 'memory_pressure' });
  });

  it('replaces a sleep that is captured, whose calls then have no effect', async () => {
    const sleeper = await stage.running();
    const claim = await stage.sleeping.claim(sleeper);
    await stage.sleeping.run('capture', sleeper, claim, { taskToken: 'of-capture' });
    await stage.sleeping.prepare(sleeper, claim);
    const captured = await stage.uploaded(sleeper);

    expect((await stage.sleeping.prepare(sleeper, claim)).body.error).toBe('STALE');
    await expect(stage.sleeping.run('verify-snapshot', sleeper, claim)).rejects.toThrow();
    await stage.sleeping.fail(sleeper, claim, 'SleepCancelled');

    expect((await stage.row(sleeper)).sleep?.claimId).toBe(captured.claimId);
    expect((await stage.complete(sleeper, captured)).status).toBe(200);
    expect(stage.sleeping.answers).toEqual([]);
  });

  it('is not joined by another sleep', async () => {
    const sleeper = await stage.running();
    await stage.prepare(sleeper, newId());
    const before = await state(sleeper);

    for (const by of ['person', 'idle', 'task'] as const)
      await expect(stage.sleeping.claim(sleeper, by)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });

    expect(await state(sleeper)).toEqual(before);
  });

  it.each([
    ['of another container', { evictionGeneration: newId() }],
    ['of a container without a generation', { evictionGeneration: undefined }],
  ])('%s is refused and changes nothing', async (_, eviction) => {
    const sleeper = await stage.running();
    const before = await state(sleeper);

    const { status, body } = await stage.prepare(sleeper, newId(), eviction);

    expect([status, body.error]).toEqual([409, 'STALE']);
    expect(await state(sleeper)).toEqual(before);
  });

  it('of a container from before evictions had generations is made', async () => {
    const sleeper = await stage.running({ evictionGeneration: undefined });

    expect((await stage.prepare(sleeper, newId())).status).toBe(200);
  });

  it.each([
    ['stopped', { status: 'stopped' }],
    ['sleeping', { status: 'sleeping' }],
    ['rebuilding', { status: 'rebuilding' }],
    [
      'waking',
      { wake: { operationId: newId(), claimedAt: later(0).toISOString(), attempt: 1, phase: 'restoring' } },
    ],
  ] as const)('of a %s workspace is refused', async (_, change) => {
    const sleeper = await stage.running();
    await stage.change(sleeper, change);
    const before = await state(sleeper);

    expect((await stage.prepare(sleeper, newId())).status).toBe(409);

    expect(await state(sleeper)).toEqual(before);
  });

  it('of an earlier attempt does not replace a later one', async () => {
    const sleeper = await stage.running();
    const [earlier, next] = [newId(), newId()];
    await stage.prepare(sleeper, earlier);
    await stage.prepare(sleeper, next);

    expect((await stage.prepare(sleeper, earlier)).body.error).toBe('STALE');
    await stage.fail(sleeper, { claimId: next, generation: 2 });
    expect((await stage.prepare(sleeper, next)).body.error).toBe('STALE');
    expect((await stage.row(sleeper)).sleep).toBeUndefined();
  });

  it('names its operation by a ULID, and a chat that the session serves', async () => {
    const sleeper = await stage.running();
    const other = await stage.running();
    const before = await state(sleeper);

    const unnamed = await stage.prepare(sleeper, 'not-a-ulid');
    const foreign = await stage.prepare({ ...sleeper, chatId: other.chatId }, newId());

    expect([unnamed.status, unnamed.body.details[0]?.field]).toEqual([400, 'body.operationId']);
    expect(foreign.status).toBe(404);
    expect(await state(sleeper)).toEqual(before);
  });
});

describe('complete of an eviction', () => {
  it('answers only once the objects are the snapshot, and a repeat has the same answer', async () => {
    const sleeper = await stage.running();
    const captured = await stage.uploaded(sleeper);

    const manifest = stage.sleeping.manifest(sleeper);
    const complete = () => stage.complete(sleeper, captured, manifest);
    const replies = [await complete(), await complete()];

    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      replies.map(() => [200, { status: 'available', degradation: 'none' }]),
    );
    expect(await stage.record(sleeper)).toMatchObject({ status: 'available', snapshotGeneration: 1 });
    expect(await stage.row(sleeper)).toMatchObject({ status: 'running', sleep: { by: 'eviction' } });
  });

  it('of a missing object is refused, ends the claim and keeps the earlier snapshot', async () => {
    const sleeper = await stage.running();
    const first = await stage.captured(sleeper);
    await stage.fail(sleeper, first);
    const kept = await stage.record(sleeper);
    const captured = await stage.uploaded(sleeper);
    await stage.sleeping.removeObject(sleeper, '2/wip');

    expect((await stage.complete(sleeper, captured)).status).toBe(409);

    expect((await stage.row(sleeper)).sleep).toBeUndefined();
    expect((await stage.record(sleeper))?.objects).toEqual(kept?.objects);
    expect((await stage.report(sleeper)).body.error).toBe('SNAPSHOT_NOT_VERIFIED');
    expect((await stage.row(sleeper)).status).toBe('running');
  });

  it('of a snapshot that lacks parts is refused', async () => {
    const sleeper = await stage.running();
    const { claimId, generation } = await stage.uploaded(sleeper);
    const claim = { claimId, generation: 1, chatSessionId: sleeper.chatId };
    const manifest = stage.sleeping.manifest(sleeper, { status: 'degraded' });

    expect((await stage.sleeping.complete(sleeper, claim, generation, manifest)).status).toBe(409);
    expect((await stage.row(sleeper)).sleep).toBeUndefined();
  });
});

describe('an eviction without a capture', () => {
  it('ends with the failure that the node reports; no failed sleep is counted', async () => {
    const sleeper = await stage.running();
    const captured = await stage.uploaded(sleeper);

    expect((await stage.fail(sleeper, captured)).status).toBe(204);

    const row = await stage.row(sleeper);
    expect([row.status, row.sleep]).toEqual(['running', undefined]);
    const record = await stage.record(sleeper);
    expect([record?.captureError, record?.episode]).toEqual(['The disk is full', undefined]);
    expect((await stage.sleeping.claim(sleeper)).generation).toBe(1);
  });

  it('ends with a stop of the workspace', async () => {
    const sleeper = await stage.running();
    const captured = await stage.uploaded(sleeper);
    const { workspaceId, userId } = sleeper.workspace;
    await claimStop(stage.table, { workspaceId, userId, now: new Date() });

    expect((await stage.complete(sleeper, captured)).body.error).toBe('STALE');
    expect((await stage.report(sleeper)).status).toBe(410);
    expect((await stage.row(sleeper)).status).toBe('stopping');
  });

  it('is ended by the sweep when its node never comes back, and starts no saga', async () => {
    const sleeper = await stage.running();
    await stage.uploaded(sleeper);

    expect(await sweep(sleeper, later(19))).toBe(false);
    expect((await stage.row(sleeper)).sleep?.by).toBe('eviction');
    expect(await sweep(sleeper, later(21))).toBe(false);

    const row = await stage.row(sleeper);
    expect([row.status, row.sleep]).toEqual(['running', undefined]);
    expect(stage.sleeping.answers).toEqual([]);
  });
});
