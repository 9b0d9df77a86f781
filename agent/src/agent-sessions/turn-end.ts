import type { PromptStopReason } from '../conversation/conversation.js';
import type { HarnessError } from '../harness/harness.js';
import type { Turn, TurnOutcome } from './turn.js';

/** How a prompt ended, for receipt, viewers and reports alike. */
export interface TurnEnd {
  readonly stopReason: PromptStopReason;
  readonly errorMessage: string | null;
  readonly errorCode: string;
}

export function plainEnd(stopReason: PromptStopReason, errorMessage: string | null = null): TurnEnd {
  return { stopReason, errorMessage, errorCode: '' };
}

export function failedEnd(stopReason: 'error' | 'fatal_error', error: HarnessError): TurnEnd {
  return { stopReason, errorMessage: error.message, errorCode: error.detail.code ?? '' };
}

/** The end of a turn that its harness has survived. */
export function endOf(turn: Turn, outcome: Exclude<TurnOutcome, { kind: 'gone' }>): TurnEnd {
  if (outcome.kind === 'answered') return plainEnd(outcome.stopReason);
  // A harness may well tell of the cancellation as of a failure.
  if (outcome.kind === 'not_invoked' || turn.isCancelled) return plainEnd('cancelled');
  return failedEnd('error', outcome.error);
}

/** Whether the turn came to its own end, so that no rollover may claim it. */
export function isNatural(outcome: TurnOutcome): boolean {
  return outcome.kind === 'answered' && outcome.stopReason !== 'cancelled';
}
