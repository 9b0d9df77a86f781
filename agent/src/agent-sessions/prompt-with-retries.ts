import { setTimeout as wait } from 'node:timers/promises';
import type { Harness, HarnessExit } from '../harness/harness.js';
import { asHarnessError } from './harness-slot.js';
import type { HostLimits } from './host-limits.js';
import type { Turn, TurnOutcome } from './turn.js';

interface RetryPolicy {
  readonly retries: HostLimits['retries'];
  readonly drainMs: number;
  /** Settles when the harness exits. */
  readonly gone: Promise<HarnessExit | null>;
  /** Aborted when the session host ends. */
  readonly signal: AbortSignal;
  readonly onRetry: (retry: {
    readonly attempt: number;
    readonly maxRetries: number;
    readonly delayMs: number;
    readonly reason: string;
  }) => void;
}

/** Sends the prompt to the harness. Retries transient failures while no output is visible. */
export async function promptWithRetries(
  turn: Turn,
  harness: Harness,
  policy: RetryPolicy,
): Promise<TurnOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    if (turn.isCancelled) return cancelledOutcome(turn);
    turn.isInvoked = true;
    const outcome = await promptOnce(turn, harness, policy);
    if (!shouldRetry(outcome, turn) || attempt > policy.retries.maxRetries) return outcome;
    turn.isConfirmed = true;
    await waitBeforeRetry(turn, { attempt, reason: outcome.error.message }, policy);
    if (policy.signal.aborted) return outcome;
  }
}

function cancelledOutcome({ isInvoked }: Turn): TurnOutcome {
  return isInvoked ? { kind: 'answered', stopReason: 'cancelled' } : { kind: 'not_invoked' };
}

function shouldRetry(outcome: TurnOutcome, turn: Turn): outcome is TurnOutcome & { kind: 'refused' } {
  return outcome.kind === 'refused' && outcome.error.kind === 'transient' && !turn.hasVisibleOutput;
}

async function promptOnce(turn: Turn, harness: Harness, policy: RetryPolicy): Promise<TurnOutcome> {
  const answer = harness.prompt(turn.blocks).then(
    ({ stopReason }): TurnOutcome => ({ kind: 'answered', stopReason }),
    (failure: unknown): TurnOutcome => {
      const error = asHarnessError(failure);
      return error.kind === 'crashed' ? { kind: 'gone', exit: null, error } : { kind: 'refused', error };
    },
  );
  // The answer may still be in the pipe when the process has ended.
  const exited = policy.gone.then(async (exit): Promise<TurnOutcome> => {
    await wait(policy.drainMs, undefined, { ref: false });
    return { kind: 'gone', exit, error: null };
  });
  return Promise.race([answer, exited]);
}

async function waitBeforeRetry(
  turn: Turn,
  { attempt, reason }: { readonly attempt: number; readonly reason: string },
  policy: RetryPolicy,
): Promise<void> {
  const { maxRetries, initialBackoffMs, maxBackoffMs } = policy.retries;
  const delayMs = Math.min(initialBackoffMs * 2 ** (attempt - 1), maxBackoffMs);
  policy.onRetry({ attempt, maxRetries, delayMs, reason });
  const signal = AbortSignal.any([turn.cancelled, policy.signal]);
  // The caller checks which signal ended the wait.
  await wait(delayMs, undefined, { signal }).catch(() => undefined);
}
