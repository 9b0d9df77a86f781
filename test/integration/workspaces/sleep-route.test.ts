import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepExpiredSnapshots } from '../../../lambdas/sweeps/sweep-sleep.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { allSagas } from '../../support/sagas.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { until } from '../../support/until.js';
import { testObjects } from '../../support/uploads.js';
import { type Sleeper, SleepStage } from './sleep-stage.js';

let stage: SleepStage;
let sleep: Invoke;
let stop: Invoke;
let owner: SignedIn;
let sweep: (now: Date) => Sweep;

beforeAll(async () => {
  stage = await SleepStage.start();
  [sleep, stop] = [await loadRoute('workspaces/sleep'), await loadRoute('workspaces/stop')];
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

  it('answers 202 when the sleep takes longer than 20 seconds', { timeout: 40_000 }, async () => {
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

  it('refuses a workspace of another person', async () => {
    expect((await call(sleep, await stage.sleeper())).status).toBe(404);
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
  });
});
