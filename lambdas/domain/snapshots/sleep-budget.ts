import type { SleepTrigger } from './sleep-decision.js';
import type { SleepEpisode } from './snapshot.js';

const minute = 60_000;
/** SESSION_SLEEP_FAILURE_MAX_ATTEMPTS */
export const maxFailures = 3;
/** SESSION_SLEEP_FAILURE_MAX_ELAPSED_MS */
export const maxElapsedMs = 15 * minute;
/** SESSION_SLEEP_MAX_ATTEMPTS */
export const maxAttempts = 9;
/** SESSION_SLEEP_RETRY_DELAY_MS */
export const retryDelayMs = 5 * minute;

/**
 * `full`: only a complete snapshot ends in sleep. `fallback`: a Git recovery point does too.
 * `blocked`: the workspace keeps running.
 */
export type SleepPhase =
  | { readonly phase: 'full' }
  | { readonly phase: 'fallback' | 'blocked'; readonly trigger: SleepTrigger };

/** The phase of an episode of automatic sleeps. */
export function sleepPhase(
  { startedAt, attempts, failures }: Pick<SleepEpisode, 'startedAt' | 'attempts' | 'failures'>,
  now: Date,
): SleepPhase {
  if (failures > 0 && attempts >= maxAttempts) return { phase: 'blocked', trigger: 'retry_ceiling' };
  if (failures >= maxFailures) return { phase: 'fallback', trigger: 'attempt_budget' };
  if (failures > 0 && now.getTime() - Date.parse(startedAt) >= maxElapsedMs)
    return { phase: 'fallback', trigger: 'elapsed_budget' };
  return { phase: 'full' };
}

/** When the next automatic sleep may start; undefined for now. */
export function retryAt({ lastFailedAt }: Pick<SleepEpisode, 'lastFailedAt'>, now: Date): Date | undefined {
  if (lastFailedAt === undefined) return undefined;
  const at = new Date(Date.parse(lastFailedAt) + retryDelayMs);
  return at > now ? at : undefined;
}
