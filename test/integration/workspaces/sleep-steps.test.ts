import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginSession } from '../../../lambdas/domain/agent-sessions/begin-session.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { archiveSleeping } from '../../../lambdas/domain/snapshots/archive-sleeping.js';
import { dropSnapshot } from '../../../lambdas/domain/snapshots/drop-snapshot.js';
import { listExpired } from '../../../lambdas/domain/snapshots/expiry.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { listTaskEvents } from '../../../lambdas/domain/tasks/task-events.js';
import { claimDeletion } from '../../../lambdas/domain/workspaces/claim-deletion.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putTask } from '../../support/put-task.js';
import { testObjects } from '../../support/uploads.js';
import { aPrompt } from '../prompts/a-chat.js';
import { type Sleeper, SleepStage } from './sleep-stage.js';

let stage: SleepStage;

beforeAll(async () => {
  stage = await SleepStage.start();
});

beforeEach(() => {
  stage.answers.length = 0;
  stage.node.requests = [];
});

const minute = 60_000;
const later = (ms: number) => new Date(Date.now() + ms);

const prompt = async (sleeper: Sleeper) =>
  acceptPrompt(stage.table, aPrompt(), { chat: await stage.chat(sleeper), now: new Date() });

const slotsOf = async ({ workspace }: Sleeper) =>
  (await findNode(stage.table, workspace.nodeId ?? ''))?.slots ?? new Set();

describe('a sleep', () => {
  it('stops the workspace after its snapshot is verified, and releases its slot', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);

    await stage.fallAsleep(sleeper, claim);

    const row = await stage.row(sleeper);
    expect(row).toMatchObject({ status: 'sleeping', asleep: { generation: 1 } });
    expect(row?.sleep).toBeUndefined();
    expect(row?.taskToken).toBeUndefined();
    expect(await slotsOf(sleeper)).toEqual(new Set());
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'sleeping' });
    expect(await stage.record(sleeper)).toMatchObject({ status: 'available', snapshotGeneration: 1 });
    expect(await stage.objects(sleeper)).toEqual(['1/home', '1/manifest', '1/wip']);
    const stop = stage.node.requests.find(({ path }) => path.endsWith('/stop'));
    expect(stop?.body).toEqual({ snapshotOperationId: claim.claimId });
    expect(stage.answers.map(({ name }) => name)).toEqual(['SendTaskSuccessCommand']);
  });

  it('lets the conversation sleep in the same transaction, and continue when the node keeps it', async () => {
    const [talker, worker] = [await stage.sleeper(), await stage.sleeper()];
    const talk = await putTask(stage.table, await stage.chat(talker), { status: 'in_progress' });
    const work = await putTask(stage.table, await stage.chat(worker), {
      status: 'in_progress',
      taskMode: 'task',
    });
    const claim = await stage.claim(talker);
    await stage.captured(talker, claim);
    await stage.run('begin-sleep', talker, claim, { isFallback: false });
    expect(await findTask(stage.table, talk.projectId, talk.taskId)).toMatchObject({
      status: 'sleeping',
      version: 2,
    });

    await stage.run('keep-running', talker, claim);
    await stage.fallAsleep(worker, await stage.claim(worker));

    expect((await findTask(stage.table, talk.projectId, talk.taskId))?.status).toBe('in_progress');
    expect((await findTask(stage.table, work.projectId, work.taskId))?.status).toBe('in_progress');
    const { events } = await listTaskEvents(stage.table, talk.taskId, { limit: 9, cursorKey: 'k' });
    expect(events.map(({ fromStatus, toStatus, actorType }) => [fromStatus, toStatus, actorType])).toEqual([
      ['sleeping', 'in_progress', 'system'],
      ['in_progress', 'sleeping', 'system'],
    ]);
  });

  it('has the same result when every step runs twice', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.run('capture', sleeper, claim, { taskToken: 'first' });
    await stage.run('capture', sleeper, claim, { taskToken: 'second' });
    await stage.capture(sleeper, claim);
    await stage.run('verify-snapshot', sleeper, claim);
    await stage.run('verify-snapshot', sleeper, claim);
    for (const name of ['begin-sleep', 'stop-unchanged'] as const) {
      await stage.run(name, sleeper, claim, { isFallback: false });
      await stage.run(name, sleeper, claim, { isFallback: false });
    }
    await stage.run('end-sleep', sleeper, claim, { nodeConfirmed: true });
    const row = await stage.row(sleeper);
    await stage.run('end-sleep', sleeper, claim, { nodeConfirmed: false });

    expect(await stage.row(sleeper)).toEqual(row);
    expect((await findNode(stage.table, sleeper.workspace.nodeId ?? ''))?.retiredAt).toBeUndefined();
    await expect(stage.run('capture', sleeper, claim, { taskToken: 'third' })).rejects.toMatchObject({
      name: 'SleepCancelled',
    });
  });

  it('does not wait for a capture that an earlier run of the step has the result of', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.run('capture', sleeper, claim, { taskToken: 'first' });
    await stage.capture(sleeper, claim);

    await expect(stage.run('capture', sleeper, claim, { taskToken: 'second' })).rejects.toMatchObject({
      name: 'AlreadyCaptured',
    });
  });

  it('retires a node that does not answer, and sleeps', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.captured(sleeper, claim);
    await stage.run('begin-sleep', sleeper, claim, { isFallback: false });

    await stage.run('end-sleep', sleeper, claim, { nodeConfirmed: false });

    expect(await stage.row(sleeper)).toMatchObject({ status: 'sleeping' });
    expect((await findNode(stage.table, sleeper.workspace.nodeId ?? ''))?.retiredAt).toBeDefined();
  });

  it('has one claim, which others join', async () => {
    const sleeper = await stage.sleeper();

    const claims = await Promise.all([
      stage.claim(sleeper),
      stage.claim(sleeper, 'person'),
      stage.claim(sleeper),
    ]);

    expect(new Set(claims.map(({ claimId }) => claimId)).size).toBe(1);
  });
});

describe('a claim is refused', () => {
  it.each([
    ['WORKSPACE_NOT_IN_STATE', { status: 'stopped' }],
    ['WORKSPACE_NOT_IN_STATE', { status: 'sleeping' }],
    ['WORKSPACE_NOT_IN_STATE', { deletion: { attempt: 1, claimedAt: new Date().toISOString() } }],
  ] as const)('with %s of a workspace with %j, and writes nothing', async (code, overrides) => {
    const sleeper = await stage.sleeper(overrides);
    const before = await stage.row(sleeper);

    await expect(stage.claim(sleeper)).rejects.toMatchObject({ code });

    expect(await stage.row(sleeper)).toEqual(before);
    expect(await stage.record(sleeper)).toBeUndefined();
  });

  it('with WORKSPACE_BUSY while a prompt waits', async () => {
    const sleeper = await stage.sleeper();
    await prompt(sleeper);

    await expect(stage.claim(sleeper)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
  });
});

describe('a prompt during the sleep', () => {
  it.each(['capture', 'verify'] as const)('wins when it comes before the %s ends', async (point) => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.run('capture', sleeper, claim, { taskToken: 'token' });
    await stage.prepare(sleeper, claim);
    if (point === 'capture') await prompt(sleeper);
    await stage.capture(sleeper, claim);
    await stage.run('verify-snapshot', sleeper, claim);
    if (point === 'verify') await prompt(sleeper);

    await expect(stage.run('begin-sleep', sleeper, claim, { isFallback: false })).rejects.toMatchObject({
      name: 'SleepCancelled',
    });
    await stage.fail(sleeper, claim, 'SleepCancelled');

    expect((await stage.row(sleeper))?.status).toBe('running');
    expect((await stage.row(sleeper))?.sleep).toBeUndefined();
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'active', queuedPrompts: 1 });
    expect((await stage.record(sleeper))?.episode?.failures).toBe(0);
  });

  it('waits when it comes after the workspace began to sleep', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.captured(sleeper, claim);
    await stage.run('begin-sleep', sleeper, claim, { isFallback: false });

    await prompt(sleeper);
    await stage.run('stop-unchanged', sleeper, claim, { isFallback: false });
    await stage.run('end-sleep', sleeper, claim, { nodeConfirmed: true });

    expect((await stage.row(sleeper))?.status).toBe('sleeping');
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'sleeping', queuedPrompts: 1 });
  });

  it('is either accepted by the running chat or waits, when it races with the sleep', async () => {
    for (let round = 0; round < 8; round += 1) {
      const sleeper = await stage.sleeper();
      const claim = await stage.claim(sleeper);
      await stage.captured(sleeper, claim);

      const [began] = await Promise.allSettled([
        stage.run('begin-sleep', sleeper, claim, { isFallback: false }),
        prompt(sleeper),
      ]);

      const [row, chat] = [await stage.row(sleeper), await stage.chat(sleeper)];
      expect(chat.queuedPrompts).toBe(1);
      const slept = began.status === 'fulfilled';
      expect([row?.status, chat.status]).toEqual(slept ? ['sleeping', 'sleeping'] : ['running', 'active']);
    }
  });
});

describe('a new agent session', () => {
  const begin = ({ workspace }: Sleeper) => {
    const { workspaceId, generation, userId, projectId } = workspace;
    const [agentSessionId, chatId, at] = [newId(), newId(), new Date().toISOString()];
    const of = { agentSessionId, workspaceId, generation, userId, projectId, chatId };
    const session = { ...of, status: 'running', label: null, agentType: null, stoppedAt: null } as const;
    const begun = { ...session, createdAt: at, updatedAt: at };
    return beginSession(stage.table, begun, { now: new Date() }).then(() => chatId);
  };

  it('cancels a sleep that it was not captured for', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.captured(sleeper, claim);
    await begin(sleeper);

    await expect(stage.run('begin-sleep', sleeper, claim, { isFallback: false })).rejects.toMatchObject({
      name: 'SleepCancelled',
    });
  });

  it('does not begin on a sleeping workspace, when it races with the sleep', async () => {
    for (let round = 0; round < 6; round += 1) {
      const sleeper = await stage.sleeper();
      const claim = await stage.claim(sleeper);
      await stage.captured(sleeper, claim);

      const [slept, begun] = await Promise.allSettled([
        stage.run('begin-sleep', sleeper, claim, { isFallback: false }),
        begin(sleeper),
      ]);

      expect([slept.status, begun.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

describe('something that changed since the capture', () => {
  it('keeps the workspace running, with its chats', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.captured(sleeper, claim);
    await stage.run('begin-sleep', sleeper, claim, { isFallback: false });
    const answer = stage.node.onRequest;
    stage.node.onRequest = async () => ({
      status: 409,
      body: { error: 'changed_since_snapshot', message: '' },
    });

    const result = await stage.run('stop-unchanged', sleeper, claim, { isFallback: false });
    stage.node.onRequest = answer;
    await stage.run('keep-running', sleeper, claim);
    await stage.run('keep-running', sleeper, claim);
    await stage.fail(sleeper, claim, 'ChangedSinceSnapshot');

    expect(result).toEqual({ outcome: 'changed' });
    expect((await stage.row(sleeper))?.status).toBe('running');
    expect((await stage.row(sleeper))?.sleep).toBeUndefined();
    expect((await stage.chat(sleeper)).status).toBe('active');
    expect(await slotsOf(sleeper)).not.toEqual(new Set());
    expect(await stage.record(sleeper)).toMatchObject({ status: 'available', episode: { failures: 1 } });
  });
});

describe('a snapshot that is not as reported', () => {
  it('is refused, and an earlier snapshot stays', async () => {
    const sleeper = await stage.sleeper();
    const first = await stage.claim(sleeper, 'person');
    await stage.captured(sleeper, first);
    await stage.fail(sleeper, first, 'SleepCancelled');
    const claim = await stage.claim(sleeper, 'person');
    await stage.run('capture', sleeper, claim, { taskToken: 'token' });
    const { generation } = (await stage.prepare(sleeper, claim)).body;
    await stage.upload(sleeper, generation, 'home', 'home');
    // The address is issued; the object is never stored.
    await stage.call('upload-url', sleeper, {
      params: { artifact: 'wip' },
      body: { chatSessionId: sleeper.chatId, generation, ...stage.manifest(sleeper).artifacts.wip },
    });
    await stage.complete(sleeper, claim, generation, stage.manifest(sleeper));

    await expect(stage.run('verify-snapshot', sleeper, claim)).rejects.toMatchObject({
      name: 'SnapshotNotVerified',
      message: 'The stored wip is missing.',
    });

    expect(await stage.record(sleeper)).toMatchObject({ status: 'available', snapshotGeneration: 1 });
    expect(await stage.objects(sleeper)).toContain('1/wip');
  });

  it('does not put the workspace to sleep when it is degraded', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper, 'person');
    await stage.run('capture', sleeper, claim, { taskToken: 'token' });
    await stage.capture(sleeper, claim, { status: 'degraded' });

    await expect(stage.run('verify-snapshot', sleeper, claim)).rejects.toMatchObject({
      name: 'SnapshotDegraded',
      message: expect.stringMatching(/^The snapshot is not complete/),
    });
    await stage.fail(sleeper, claim, 'SnapshotDegraded');

    expect((await stage.row(sleeper))?.status).toBe('running');
    expect(await stage.record(sleeper)).toMatchObject({ status: 'degraded', snapshotGeneration: 1 });
  });

  it('deletes the objects of the earlier snapshot after it replaced them', async () => {
    const sleeper = await stage.sleeper();
    for (const by of ['person', 'person'] as const) {
      const claim = await stage.claim(sleeper, by);
      await stage.captured(sleeper, claim);
      await stage.fail(sleeper, claim, 'SleepCancelled');
    }

    expect(await stage.objects(sleeper)).toEqual(['2/home', '2/manifest', '2/wip']);
  });
});

describe('failed automatic sleeps', () => {
  const failAt = async (sleeper: Sleeper, now: Date) => {
    const claim = await stage.claim(sleeper, 'idle', now);
    return { claim, after: await stage.fail(sleeper, claim, 'CaptureFailed') };
  };

  it('wait five minutes between attempts', async () => {
    const sleeper = await stage.sleeper();
    await failAt(sleeper, new Date());

    await expect(stage.claim(sleeper)).rejects.toMatchObject({ code: 'SLEEP_RETRY_LATER' });
    await expect(stage.claim(sleeper, 'person')).resolves.toBeDefined();
  });

  it('are blocked after the third without a Git recovery point, with a notice in the chat', async () => {
    const sleeper = await stage.sleeper();
    for (const count of [0, 1]) await failAt(sleeper, later(count * 6 * minute));
    const { after } = await failAt(sleeper, later(12 * minute));

    expect(after).toEqual({ after: 'ended' });
    expect((await stage.record(sleeper))?.decision).toMatchObject({
      outcome: 'blocked',
      trigger: 'attempt_budget',
      blockedReason: 'no_git_baseline',
      failedAttempts: 3,
    });
    expect((await stage.chat(sleeper)).lastSequence).toBe(4);
    expect(await stage.lastMessage(sleeper)).toMatchObject({
      role: 'system',
      content:
        'The workspace keeps running: it could not sleep with a complete snapshot (no_git_baseline). Last failure: it failed',
    });
    await expect(stage.claim(sleeper, 'idle', later(60 * minute))).rejects.toMatchObject({
      code: 'SLEEP_BLOCKED',
    });
    await prompt(sleeper);
    await expect(stage.claim(sleeper, 'idle', later(60 * minute))).rejects.toMatchObject({
      code: 'WORKSPACE_BUSY',
    });
  });

  /** The first of three attempts has captured the work, and not all of the home. */
  const untilFallback = async () => {
    const sleeper = await stage.sleeper();
    const first = await stage.claim(sleeper);
    await stage.run('capture', sleeper, first, { taskToken: 'token' });
    await stage.capture(sleeper, first, { status: 'degraded', home: null });
    await expect(stage.run('verify-snapshot', sleeper, first)).rejects.toThrow('not complete');
    await stage.fail(sleeper, first, 'SnapshotDegraded');
    await failAt(sleeper, later(6 * minute));
    return sleeper;
  };

  it('end in a sleep on the last captured commits', async () => {
    const sleeper = await untilFallback();
    const { claim, after } = await failAt(sleeper, later(12 * minute));
    const again = await stage.fail(sleeper, claim, 'CaptureFailed');

    expect([after, again]).toEqual([{ after: 'fallback' }, { after: 'fallback' }]);
    await stage.run('verify-recovery-point', sleeper, claim);
    await stage.run('begin-sleep', sleeper, claim, { isFallback: true });
    await stage.run('stop-unchanged', sleeper, claim, { isFallback: true });
    await stage.run('end-sleep', sleeper, claim, { nodeConfirmed: true });

    const record = await stage.record(sleeper);
    expect(await stage.row(sleeper)).toMatchObject({ status: 'sleeping' });
    expect(record).toMatchObject({
      status: 'degraded',
      decision: { outcome: 'slept', failedAttempts: 3, recoveryPoint: { homeSaved: false } },
    });
    expect(record?.episode).toBeUndefined();
    const stop = stage.node.requests.find(({ path }) => path.endsWith('/stop'));
    expect(stop?.body).toEqual({});
  });

  it('are blocked when the captured commits are not stored any more', async () => {
    const sleeper = await untilFallback();
    const { claim } = await failAt(sleeper, later(12 * minute));
    await stage.removeObject(sleeper, '1/wip');

    await expect(stage.run('verify-recovery-point', sleeper, claim)).rejects.toMatchObject({
      name: 'SnapshotNotVerified',
      message: 'The stored wip is missing.',
    });
    expect(await stage.fail(sleeper, claim, 'SnapshotNotVerified', true)).toEqual({ after: 'ended' });

    expect(await stage.row(sleeper)).toMatchObject({ status: 'running' });
    expect((await stage.record(sleeper))?.decision).toMatchObject({
      outcome: 'blocked',
      blockedReason: 'commit_objects_unavailable',
    });
    expect((await stage.lastMessage(sleeper))?.content).toContain('commit_objects_unavailable');
  });

  it('verify no recovery point of a claim that has ended', async () => {
    const sleeper = await untilFallback();
    const { claim } = await failAt(sleeper, later(12 * minute));
    await stage.fail(sleeper, claim, 'SleepCancelled', true);

    await expect(
      stage.run('verify-recovery-point', sleeper, { ...claim, claimId: newId() }),
    ).rejects.toMatchObject({ name: 'SleepCancelled' });
  });
});

describe('a stop or deletion', () => {
  it('cancels a capture, and fails its waiting step', async () => {
    const sleeper = await stage.sleeper();
    const claim = await stage.claim(sleeper);
    await stage.run('capture', sleeper, claim, { taskToken: 'of-capture' });
    const { workspaceId, userId } = sleeper.workspace;

    const stop = await claimStop(stage.table, { workspaceId, userId, now: new Date() });

    expect(stop.taskToken).toBe('of-capture');
    expect((await stage.row(sleeper))?.sleep).toBeUndefined();
    expect((await stage.prepare(sleeper, claim)).status).toBe(409);
    expect(await stage.fail(sleeper, claim, 'WorkspaceStopped')).toEqual({ after: 'ended' });
    expect((await stage.row(sleeper))?.status).toBe('stopping');
  });

  it('of a sleeping workspace has effect at any time, and its snapshot is deleted', async () => {
    const sleeper = await stage.sleeper();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    const { workspaceId } = sleeper.workspace;
    const row = await stage.row(sleeper);
    if (!row) throw new Error('The workspace is gone');

    await claimDeletion(stage.table, row, new Date());
    await dropSnapshot(stage.table, workspaceId, { objects: testObjects(), now: new Date() });
    await dropSnapshot(stage.table, workspaceId, { objects: testObjects(), now: new Date() });

    expect((await stage.row(sleeper))?.status).toBe('stopping');
    expect(await stage.record(sleeper)).toBeUndefined();
    expect(await stage.objects(sleeper)).toEqual([]);
  });
});

describe('after seven days', () => {
  it('a sleeping workspace is archived with its snapshot', async () => {
    const sleeper = await stage.sleeper();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    const { workspaceId } = sleeper.workspace;
    const now = later(8 * 24 * 60 * minute);
    const mine = async () =>
      (await listExpired(stage.table, now)).filter((one) => one.workspaceId === workspaceId);
    const [expiry] = await mine();
    if (!expiry) throw new Error('No snapshot expired');

    // The object store compares the time of a signature with its own clock.
    const store = { objects: testObjects(), now: new Date() };
    expect(await archiveSleeping(stage.table, expiry, store)).toBe(true);

    expect(await stage.row(sleeper)).toMatchObject({ status: 'stopping', deletion: { isExpired: true } });
    expect(await stage.objects(sleeper)).toEqual([]);
    expect(await mine()).toEqual([]);
  });
});
