import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { claimDeletion } from '../../../lambdas/domain/workspaces/claim-deletion.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepExpiredSnapshots } from '../../../lambdas/sweeps/sweep-sleep.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { allSagas } from '../../support/sagas.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { until } from '../../support/until.js';
import { testObjects } from '../../support/uploads.js';
import { loadStep } from './load-step.js';
import { type Sleeper, SleepStage } from './sleep-stage.js';

let stage: SleepStage;
let sleep: Invoke;
let stop: Invoke;
let token: Invoke;
let prompt: Invoke;
let owner: SignedIn;
let sweep: (now: Date) => Sweep;

beforeAll(async () => {
  stage = await SleepStage.start();
  [sleep, stop] = [await loadRoute('workspaces/sleep'), await loadRoute('workspaces/stop')];
  [token, prompt] = [await loadRoute('terminal/token'), await loadRoute('chats/prompt')];
  owner = await signIn(stage.table);
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  sweep = (now) => ({
    table: stage.table,
    stepFunctions,
    fleet: { client: {} as Sweep['fleet']['client'], deploymentId: 'test' },
    zone: undefined,
    objects: testObjects(),
    sagas: allSagas(stepFunctions),
    now,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    budgets: newBudgets(),
  });
});

beforeEach(() => {
  stage.answers.length = 0;
});

const minute = 60_000;
const later = (minutes: number) => new Date(Date.now() + minutes * minute);
const call = (invoke: Invoke, { workspace }: Sleeper) =>
  invoke({ params: { workspaceId: workspace.workspaceId }, cookies: [owner.cookie] });
const mine = () => stage.sleeper({ userId: owner.userId });
const started = () => stage.answers.flatMap(({ input }) => (input.name ? [input.name] : []));

/** The claim that the route has made. */
const claimOf = (sleeper: Sleeper) =>
  until('the workspace has a claim', async () => {
    const claimId = (await stage.row(sleeper))?.sleep?.claimId;
    return claimId ? { claimId, generation: 1, chatSessionId: sleeper.chatId } : undefined;
  });

describe('POST sleep', () => {
  it('waits until the workspace sleeps, and answers a repeat at once', async () => {
    const sleeper = await mine();
    const { workspaceId } = sleeper.workspace;

    const reply = call(sleep, sleeper);
    const claim = await claimOf(sleeper);
    await stage.fallAsleep(sleeper, claim);
    const { status, body } = await reply;

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'sleeping', workspaceId, chatSessionId: sleeper.chatId });
    expect(started()).toEqual([`${workspaceId}-1-sleep-${claim.claimId}`]);
    expect(await call(sleep, sleeper)).toMatchObject({ status: 200, body });
  });

  it('answers 202 when the sleep takes longer than 20 seconds', async () => {
    const sleeper = await mine();

    const { status, body } = await call(sleep, sleeper);

    expect([status, body]).toMatchObject([202, { status: 'capturing', chatSessionId: sleeper.chatId }]);
  });

  it('answers why the workspace keeps running', async () => {
    const sleeper = await mine();

    const reply = call(sleep, sleeper);
    await stage.fail(sleeper, await claimOf(sleeper), 'States.HeartbeatTimeout');

    expect(await reply).toMatchObject({
      status: 409,
      body: {
        error: 'SLEEP_FAILED',
        message: 'Workspace keeps running. The node reported no progress of the capture for 2 minutes.',
      },
    });
  });

  it('answers what the snapshot lacks when the capture was not complete', async () => {
    const sleeper = await mine();

    const reply = call(sleep, sleeper);
    const claim = await claimOf(sleeper);
    await stage.run('capture', sleeper, claim, { taskToken: 'token' });
    await stage.capture(sleeper, claim, { status: 'degraded' });
    const error = await stage.run('verify-snapshot', sleeper, claim).catch(({ message }: Error) => message);
    const cause = JSON.stringify({ errorMessage: error });
    await stage.run('fail-sleep', sleeper, claim, { error: 'SnapshotDegraded', cause, isFallback: false });

    expect(await reply).toMatchObject({
      status: 409,
      body: {
        error: 'SLEEP_FAILED',
        message: expect.stringMatching(/^Workspace keeps running\. The snapshot is not complete/),
      },
    });
    expect((await stage.row(sleeper))?.status).toBe('running');
  });

  it('refuses a workspace of another person', async () => {
    expect((await call(sleep, await stage.sleeper())).status).toBe(404);
  });
});

describe('a sleeping workspace is woken', () => {
  const asleep = async () => {
    const sleeper = await mine();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    return sleeper;
  };

  it('by a request for a terminal token, which says when to ask again', async () => {
    const sleeper = await asleep();
    const { workspaceId } = sleeper.workspace;
    const ask = () => token({ body: { workspaceId }, cookies: [owner.cookie] });

    const replies = await Promise.all([ask(), ask()]);

    for (const { status, body, headers } of replies) {
      expect([status, body]).toEqual([202, { status: 'waking' }]);
      expect(headers?.['retry-after']).toBe('3');
    }
    expect(await stage.row(sleeper)).toMatchObject({ status: 'pending', generation: 2 });
  });

  it('by no request for a terminal token when it is evicted: a browser connects again by itself', async () => {
    const sleeper = await mine();
    const { workspaceId } = sleeper.workspace;
    const status = 'evicted';
    await changeWorkspace(stage.table, { workspaceId, move: 'evict', to: status, now: later(0) });

    const reply = await token({ body: { workspaceId }, cookies: [owner.cookie] });

    expect(reply.status).toBe(409);
    expect(await stage.row(sleeper)).toMatchObject({ status, generation: 1 });
  });

  it('by a message, whose answer says so', async () => {
    const sleeper = await asleep();
    const { projectId } = sleeper.workspace;
    const params = { projectId: String(projectId), sessionId: sleeper.chatId };

    const reply = await prompt({ params, body: { content: 'go on' }, cookies: [owner.cookie] });

    expect([reply.status, reply.body]).toMatchObject([
      202,
      { accepted: true, status: 'queued', wakes: true },
    ]);
  });
});

describe('the deletion of a sleeping workspace', () => {
  it('deletes the snapshot in its saga, with a proof', async () => {
    const sleeper = await mine();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    const { workspaceId, generation } = sleeper.workspace;
    const row = await stage.row(sleeper);
    if (!row) throw new Error('The workspace is gone');
    await claimDeletion(stage.table, row, new Date());

    const markDeleted = await loadStep('delete-workspace/mark-deleted');
    await markDeleted({ workspaceId, generation, proof: 'vm_agent_confirmed' });

    expect(await stage.row(sleeper)).toMatchObject({
      status: 'deleted',
      deletionProof: 'vm_agent_confirmed',
    });
    expect(await stage.objects(sleeper)).toEqual([]);
    expect(await stage.record(sleeper)).toBeUndefined();
  });
});

describe('the stop of a sleeping workspace', () => {
  it('is accepted, and the sweep deletes the snapshot when nothing else did', async () => {
    const sleeper = await mine();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));
    const { workspaceId } = sleeper.workspace;

    expect(await call(stop, sleeper)).toMatchObject({ status: 200, body: { status: 'stopping' } });
    await sweepWorkspace(sweep(later(40)), workspaceId);
    await sweepWorkspace(sweep(later(41)), workspaceId);

    expect(await stage.row(sleeper)).toMatchObject({ status: 'stopped' });
    expect(await stage.objects(sleeper)).toEqual([]);
    expect(await stage.record(sleeper)).toBeUndefined();
  });
});

describe('the sweep', () => {
  it('starts a sleep that was claimed and not started', async () => {
    const sleeper = await mine();
    const { claimId } = await stage.claim(sleeper);
    const { workspaceId } = sleeper.workspace;

    expect(await sweepWorkspace(sweep(later(3)), workspaceId)).toBe(false);

    expect(started()).toEqual([`${workspaceId}-1-sleep-${claimId}`]);
  });

  it('ends a capture without a result, and the workspace keeps running', async () => {
    const sleeper = await mine();
    await stage.claim(sleeper);

    await sweepWorkspace(sweep(later(21)), sleeper.workspace.workspaceId);

    const row = await stage.row(sleeper);
    expect([row?.status, row?.sleep]).toEqual(['running', undefined]);
    expect((await stage.record(sleeper))?.episode).toMatchObject({ failures: 1 });
  });

  it('ends a sleep whose node did not confirm the stop', async () => {
    const sleeper = await mine();
    const claim = await stage.claim(sleeper);
    await stage.captured(sleeper, claim);
    await stage.run('begin-sleep', sleeper, claim, { isFallback: false });

    await sweepWorkspace(sweep(later(46)), sleeper.workspace.workspaceId);

    const row = await stage.row(sleeper);
    expect([row?.status, row?.sleep]).toEqual(['sleeping', undefined]);
  });

  it('archives a workspace that slept for seven days, not one that woke', async () => {
    const sleeper = await mine();
    await stage.fallAsleep(sleeper, await stage.claim(sleeper));

    await sweepExpiredSnapshots(sweep(later(6 * 24 * 60)));
    expect((await stage.row(sleeper))?.status).toBe('sleeping');
    await sweepExpiredSnapshots(sweep(later(7 * 24 * 60 + 1)));

    expect(await stage.row(sleeper)).toMatchObject({ status: 'stopping', deletion: { isExpired: true } });
    expect(await stage.objects(sleeper)).toEqual([]);

    const { workspaceId, generation } = sleeper.workspace;
    const now = later(7 * 24 * 60 + 5);
    await endLostSessions({ ...sweep(now), wake: async () => {} }, workspaceId);
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'stopped', endReason: 'workspace_archived' });
    await sweepWorkspace(sweep(now), workspaceId);
    expect(started()).toContain(`${workspaceId}-delete-1`);
    const markDeleted = await loadStep('delete-workspace/mark-deleted');
    await markDeleted({ workspaceId, generation, proof: 'node_runtime_terminated' });
    expect(await stage.row(sleeper)).toMatchObject({
      status: 'deleted',
      deletionProof: 'node_runtime_terminated',
    });
  });
});
