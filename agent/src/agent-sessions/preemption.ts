import { setTimeout as wait } from 'node:timers/promises';
import type { Harness } from '../harness/harness.js';
import { asHarnessError, ProcessNotEnded } from './harness-slot.js';
import { WrongSession } from './harness-starter.js';
import type { HostState } from './host-state.js';
import type { RolloverEnd } from './rollover-store.js';
import type { Preemption, Turn } from './turn.js';

/**
 * Ends the turn in flight for a rollover: `session/cancel`, then `session/close`. Stops the process
 * when the turn has not ended within the grace period.
 */
export async function preemptTurn(state: HostState, turn: Turn, preemption: Preemption): Promise<void> {
  const harness = state.deps.slot.current;
  const grace = AbortSignal.any([AbortSignal.timeout(preemption.graceMs), preemption.deadline]);
  if (harness && preemption.graceMs > 0) await requestEnd(state, harness, { turn, preemption, grace });
  if (await settlesWithin(turn, grace)) return;
  preemption.isForced = true;
  state.deps.interactions.settleAll('connection_replaced');
  await state.deps.slot.stop();
}

interface EndRequest {
  readonly turn: Turn;
  readonly preemption: Preemption;
  readonly grace: AbortSignal;
}

async function requestEnd(
  state: HostState,
  harness: Harness,
  { turn, preemption, grace }: EndRequest,
): Promise<void> {
  if (harness.canCancel) await untilAborted(harness.cancel(), grace);
  state.deps.interactions.settleAll('connection_replaced');
  if (!harness.canClose || (await isSettled(turn))) return;
  preemption.isClosing = true;
  await untilAborted(harness.close(grace), grace);
}

/** Ignores failures: the caller checks next whether the turn ended. */
async function untilAborted(work: Promise<void>, grace: AbortSignal): Promise<void> {
  await Promise.race([work.catch(() => undefined), aborted(grace)]);
}

/** Sends `session/cancel`. Stops the process when the turn does not end in time. */
export async function cancelTurn(state: HostState, turn: Turn, harness: Harness): Promise<void> {
  const grace = AbortSignal.timeout(state.deps.limits.cancelGraceMs);
  if (harness.canCancel) {
    await untilAborted(harness.cancel(), grace);
    // As ACP says: after the cancel, so that the harness does not continue without the answer.
    state.deps.interactions.settleAll('wrapper_cancelled');
    if (await settlesWithin(turn, grace)) return;
  }
  turn.forcedFor ??= 'cancel';
  state.deps.interactions.settleAll('wrapper_cancelled');
  await state.deps.slot.stop();
}

/** Maps the failed restart of a rollover to its error code. */
export function failureOfRollover(preemption: Preemption, failure: unknown): RolloverEnd {
  const error = asHarnessError(failure);
  const end = { state: 'failed', isForced: preemption.isForced, errorMessage: error.message } as const;
  if (preemption.deadline.aborted) {
    const errorMessage = 'The rollover exceeded its timeout';
    return { ...end, errorCode: 'rollover_deadline_exceeded', errorMessage };
  }
  if (error instanceof ProcessNotEnded) return { ...end, errorCode: 'process_stop_failed' };
  if (error instanceof WrongSession) return { ...end, errorCode: 'session_identity_mismatch' };
  if (error.kind === 'not_loaded') return { ...end, errorCode: 'strict_resume_failed' };
  return { ...end, errorCode: 'rollover_failed' };
}

async function settlesWithin(turn: Turn, limit: AbortSignal): Promise<boolean> {
  return Promise.race([turn.settled.then(() => true), aborted(limit).then(() => false)]);
}

async function isSettled(turn: Turn): Promise<boolean> {
  return Promise.race([turn.settled.then(() => true), wait(0, false)]);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
