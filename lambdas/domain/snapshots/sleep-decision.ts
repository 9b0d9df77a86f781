import * as z from 'zod/mini';
import { orNull } from '../records/changes.js';

/** What ended the attempts to sleep with a complete snapshot. */
export const sleepTriggers = ['attempt_budget', 'elapsed_budget', 'retry_ceiling'] as const;
export type SleepTrigger = (typeof sleepTriggers)[number];

/** Why the workspace could not sleep on a Git recovery point either. */
export const blockedReasons = [
  'no_git_baseline',
  'commit_objects_unavailable',
  'recovery_point_expired',
  'unsupported_runtime',
  'retry_ceiling',
] as const;
export type BlockedReason = (typeof blockedReasons)[number];

/** The last snapshot whose commits were captured. */
export const RecoveryPoint = z.object({
  generation: z.int(),
  commit: z.string(),
  branch: orNull(z.string()),
  detached: z.boolean(),
  upstream: orNull(z.string()),
  capturedAt: z.iso.datetime(),
  snapshotStatus: z.enum(['available', 'degraded']),
  degradation: z.string(),
  workingTreeSaved: z.boolean(),
  homeSaved: z.boolean(),
});
export type RecoveryPoint = z.infer<typeof RecoveryPoint>;

/** How an episode of failed sleeps ended, as it was decided. */
export const SleepDecision = z.object({
  version: z.literal(1),
  outcome: z.enum(['slept', 'blocked']),
  trigger: z.enum(sleepTriggers),
  blockedReason: orNull(z.enum(blockedReasons)),
  decidedAt: z.iso.datetime(),
  episodeStartedAt: z.iso.datetime(),
  failedAttempts: z.int(),
  lastError: orNull(z.string()),
  recoveryPoint: orNull(RecoveryPoint),
});
export type SleepDecision = z.infer<typeof SleepDecision>;
