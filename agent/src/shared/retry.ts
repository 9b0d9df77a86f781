import { setTimeout as wait } from 'node:timers/promises';

export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Whether another attempt could help. */
  readonly isTransient: (error: unknown) => boolean;
  readonly signal: AbortSignal;
  /** The next attempt waits at least this long after the error. */
  readonly atLeastMs?: (error: unknown) => number;
  readonly onRetry?: (error: unknown, delayMs: number) => void;
}

/** Retries with doubling, jittered delays. @throws the last error, or the reason of the abort */
export async function retry<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    policy.signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt >= policy.attempts || !policy.isTransient(error)) throw error;
      const usualMs = jittered(Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.maxDelayMs));
      const delayMs = Math.max(usualMs, policy.atLeastMs?.(error) ?? 0);
      policy.onRetry?.(error, delayMs);
      await wait(delayMs, undefined, { signal: policy.signal });
    }
  }
}

/** Between half of the delay and all of it, so that nodes do not retry at the same time. */
function jittered(delayMs: number): number {
  return Math.round(delayMs * (0.5 + Math.random() / 2));
}
