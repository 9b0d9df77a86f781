import { snapshotTtlMs } from './prepare-capture.js';
import { sleepPhase } from './sleep-budget.js';
import type { BlockedReason, RecoveryPoint, SleepDecision } from './sleep-decision.js';
import type { SleepEpisode, Snapshot } from './snapshot.js';

/** The last verified snapshot as a Git recovery point, or why it is none. */
export function recoveryPointOf(snapshot: Snapshot, now: Date): RecoveryPoint | BlockedReason {
  const { objects, baseCommit, capturedAt, snapshotGeneration, status, degradation } = snapshot;
  if (snapshot.runtime !== 'vm') return 'unsupported_runtime';
  if (baseCommit === null || !objects || !capturedAt || snapshotGeneration === undefined)
    return 'no_git_baseline';
  // The object of the work holds every commit that no remote may have.
  if (!objects.wip || (status !== 'available' && status !== 'degraded')) return 'commit_objects_unavailable';
  if (now.getTime() - Date.parse(capturedAt) >= snapshotTtlMs) return 'recovery_point_expired';
  return {
    generation: snapshotGeneration,
    commit: baseCommit,
    ...branchOf(snapshot),
    capturedAt,
    snapshotStatus: status,
    degradation,
    workingTreeSaved: true,
    homeSaved: objects.home !== null,
  };
}

const branchOf = ({ baseBranch, baseUpstream }: Snapshot) => ({
  branch: baseBranch ?? null,
  detached: baseBranch === null,
  upstream: baseUpstream ?? null,
});

/** Whether the episode has left its full phase, and how it ends; undefined while it has not. */
export function decideSleep(
  snapshot: Snapshot & { readonly episode: SleepEpisode },
  now: Date,
): SleepDecision | undefined {
  const { episode } = snapshot;
  const phase = sleepPhase(episode, now);
  if (phase.phase === 'full') return undefined;
  const point = recoveryPointOf(snapshot, now);
  const recoveryPoint = typeof point === 'string' ? null : point;
  const unusable = typeof point === 'string' ? point : null;
  const blockedReason = phase.phase === 'blocked' ? 'retry_ceiling' : unusable;
  return {
    version: 1,
    outcome: blockedReason === null ? 'slept' : 'blocked',
    trigger: phase.trigger,
    blockedReason,
    decidedAt: now.toISOString(),
    episodeStartedAt: episode.startedAt,
    failedAttempts: episode.failures,
    lastError: episode.lastError,
    recoveryPoint,
  };
}
