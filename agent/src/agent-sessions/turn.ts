import type { ContentBlock, SessionNotification, StopReason } from '@agentclientprotocol/sdk';
import type { EndedPrompt, PromptStopReason, StartedPrompt } from '../conversation/conversation.js';
import type { HarnessError, HarnessExit } from '../harness/harness.js';
import type { DeliveryKey } from './receipt-store.js';
import type { RolloverKey } from './rollover-store.js';

export interface TurnRequest {
  readonly prompt: StartedPrompt;
  readonly blocks: readonly ContentBlock[];
  /** Of a versioned request. */
  readonly delivery: DeliveryKey | null;
}

/** What became of a prompt at the harness. */
export type TurnOutcome =
  | { readonly kind: 'answered'; readonly stopReason: StopReason }
  /** Answered with an error. */
  | { readonly kind: 'refused'; readonly error: HarnessError }
  /** Its process ended, by itself or because it had to. */
  | { readonly kind: 'gone'; readonly exit: HarnessExit | null; readonly error: HarnessError | null }
  /** Cancelled before it was handed over. */
  | { readonly kind: 'not_invoked' };

/** A checkpoint rollover that takes the harness away from a turn. */
export interface Preemption {
  readonly key: RolloverKey;
  readonly graceMs: number;
  /** Of the whole operation. */
  readonly deadline: AbortSignal;
  /** The harness had to be stopped by force. */
  isForced: boolean;
  /** The harness was told to close the session: it cannot go on without being started anew. */
  isClosing: boolean;
}

/** One accepted prompt on its way through the harness. */
export class Turn {
  /** It was handed to the harness; from here on it may have been invoked. */
  isInvoked = false;
  /** The harness has shown that it has the prompt. */
  isConfirmed = false;
  /** What has come of it is visible to people or tools. */
  hasVisibleOutput = false;
  /** Why the harness is being ended by force. */
  forcedFor: 'cancel' | 'deadline' | null = null;
  preemption: Preemption | null = null;
  private readonly cancelling = new AbortController();
  private readonly outcome = Promise.withResolvers<TurnOutcome>();
  private readonly end = Promise.withResolvers<EndedPrompt>();

  constructor(readonly request: TurnRequest) {}

  get prompt(): StartedPrompt {
    return this.request.prompt;
  }

  get isCancelled(): boolean {
    return this.cancelling.signal.aborted;
  }

  get cancelled(): AbortSignal {
    return this.cancelling.signal;
  }

  /** Settles once the harness is done with it. */
  get settled(): Promise<TurnOutcome> {
    return this.outcome.promise;
  }

  get ended(): Promise<EndedPrompt> {
    return this.end.promise;
  }

  cancel(): void {
    this.cancelling.abort();
  }

  recordUpdate(update: SessionNotification['update']['sessionUpdate']): void {
    if (!turnUpdates.has(update)) return;
    this.hasVisibleOutput = true;
    this.isConfirmed = true;
  }

  settle(outcome: TurnOutcome): void {
    if (outcome.kind === 'answered' || outcome.kind === 'refused') this.isConfirmed = true;
    this.outcome.resolve(outcome);
  }

  finish(end: EndedPrompt): void {
    this.end.resolve(end);
  }
}

/** Other updates (modes, commands, usage) come without a prompt, too. */
const turnUpdates = new Set<SessionNotification['update']['sessionUpdate']>([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

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
