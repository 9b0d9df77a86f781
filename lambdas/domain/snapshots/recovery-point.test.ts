import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import { decideSleep } from './recovery-point.js';
import type { SleepEpisode, Snapshot } from './snapshot.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const now = new Date('2026-11-26T12:00:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
const stored = (key: string) => ({ key, sizeBytes: 1, sha256: '0'.repeat(64) });
const objects = { manifest: stored('manifest'), home: stored('home'), wip: stored('wip') };

const failed = (episode: Partial<SleepEpisode> = {}): SleepEpisode => ({
  ...{ startedAt: ago(10 * minute), attempts: 3, failures: 3, messages: 0, lastError: 'It failed.' },
  ...episode,
});

const snapshot = (changes: Partial<Snapshot> = {}, episode: Partial<SleepEpisode> = {}) => ({
  ...{ snapshotId: newId(), workspaceId: newId(), projectId: newId(), userId: newId() },
  ...{ chatSessionId: newId(), agentSessionId: newId(), runtime: 'vm' as const, status: 'degraded' as const },
  ...{ degradation: 'entries-skipped', objects, baseCommit: 'a'.repeat(40), capturedAt: ago(day) },
  ...{ baseBranch: 'work', baseUpstream: 'origin/work' },
  ...{ captureGeneration: 4, snapshotGeneration: 2, oldestGeneration: 2, captureError: null, version: 1 },
  ...{ createdAt: ago(day), updatedAt: ago(day), ...changes },
  episode: failed(episode),
});

const decide = (changes?: Partial<Snapshot>, episode?: Partial<SleepEpisode>) =>
  decideSleep(snapshot(changes, episode), now);

describe('after three failures', () => {
  it('a workspace sleeps on the last captured commits', () => {
    expect(decide()).toEqual({
      version: 1,
      outcome: 'slept',
      trigger: 'attempt_budget',
      blockedReason: null,
      decidedAt: now.toISOString(),
      episodeStartedAt: ago(10 * minute),
      failedAttempts: 3,
      lastError: 'It failed.',
      recoveryPoint: {
        ...{ generation: 2, commit: 'a'.repeat(40), branch: 'work', detached: false },
        upstream: 'origin/work',
        ...{ capturedAt: ago(day), snapshotStatus: 'degraded', degradation: 'entries-skipped' },
        ...{ workingTreeSaved: true, homeSaved: true },
      },
    });
  });

  it.each([
    ['of a detached HEAD', { baseBranch: null, baseUpstream: null }, { branch: null, detached: true }],
    [
      'of an earlier agent',
      { baseBranch: undefined, baseUpstream: undefined },
      { branch: null, detached: false },
    ],
  ])('the point %s has no branch', (_, changes, point) => {
    expect(decide(changes)).toMatchObject({ recoveryPoint: { ...point, upstream: null } });
  });

  it.each([
    ['no_git_baseline', { baseCommit: null }],
    ['no_git_baseline', { objects: undefined }],
    ['commit_objects_unavailable', { objects: { ...objects, wip: null } }],
    ['commit_objects_unavailable', { status: 'failed' }],
    ['recovery_point_expired', { capturedAt: ago(7 * day) }],
    // No other runtime exists yet.
    ['unsupported_runtime', { runtime: 'container' as 'vm' }],
  ] as const)('it keeps running with the reason %s when %j', (blockedReason, changes) => {
    expect(decide(changes)).toMatchObject({ outcome: 'blocked', blockedReason, recoveryPoint: null });
  });
});

describe('the budget', () => {
  it.each([
    ['one failure', { failures: 1, attempts: 1 }],
    ['two failures within 15 minutes', { failures: 2, attempts: 2, startedAt: ago(15 * minute - 1) }],
  ])('is not used up by %s', (_, episode) => {
    expect(decide({}, episode)).toBeUndefined();
  });

  it('of time is 15 minutes', () => {
    const episode = { failures: 1, attempts: 1, startedAt: ago(15 * minute) };

    expect(decide({}, episode)).toMatchObject({ outcome: 'slept', trigger: 'elapsed_budget' });
  });

  it('of attempts ends the fallback too', () => {
    expect(decide({}, { failures: 9, attempts: 9 })).toMatchObject({
      outcome: 'blocked',
      trigger: 'retry_ceiling',
      blockedReason: 'retry_ceiling',
    });
  });
});
