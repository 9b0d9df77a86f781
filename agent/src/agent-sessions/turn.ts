import type { ContentBlock, SessionNotification, StopReason } from '@agentclientprotocol/sdk';
import type { EndedPrompt, PromptStopReason, StartedPrompt, TurnEnd } from '../conversation/conversation.js';
import { evictedCode } from '../eviction/eviction-text.js';
import type { HarnessError, HarnessExit } from '../harness/harness.js';
import { maxTextLength } from './conversation-summaries.js';
import type { DeliveryKey } from './receipt-store.js';
import type { RolloverKey } from './rollover-store.js';

export interface TurnRequest {
  readonly prompt: StartedPrompt;
  readonly blocks: readonly ContentBlock[];
  /** Null for a request without a receipt. */
  readonly delivery: DeliveryKey | null;
}

/** How the harness ended a prompt. */
export type TurnOutcome =
  | { readonly kind: 'answered'; readonly stopReason: StopReason }
  /** The harness answered with an error. */
  | { readonly kind: 'refused'; readonly error: HarnessError }
  /** The process of the harness ended. */
  | { readonly kind: 'gone'; readonly exit: HarnessExit | null; readonly error: HarnessError | null }
  /** The prompt was cancelled before it was sent. */
  | { readonly kind: 'not_invoked' };

/** A checkpoint rollover of the turn in flight. */
export interface Preemption {
  readonly key: RolloverKey;
  readonly graceMs: number;
  /** Deadline of the whole operation. */
  readonly deadline: AbortSignal;
  /** The process was stopped. */
  isForced: boolean;
  /** `session/close` was sent: the harness has to be restarted. */
  isClosing: boolean;
}

/** One accepted prompt while the harness runs it. */
export class Turn {
  /** The prompt was sent to the harness, which may have run it. */
  isInvoked = false;
  /** The harness answered or sent an update: it has the prompt. */
  isConfirmed = false;
  /** People or tools have seen output of this turn: it must not be retried. */
  hasVisibleOutput = false;
  /** The end of the agent's text. */
  answer = '';
  /** Sent before the prompt. */
  summary: string | null = null;
  /** Why the process is being stopped. */
  forcedFor: 'cancel' | 'deadline' | null = null;
  preemption: Preemption | null = null;
  private readonly cancelling = new AbortController();
  private readonly outcome = Promise.withResolvers<TurnOutcome>();
  private readonly end = Promise.withResolvers<EndedPrompt>();
  private readonly cancelledAgain = Promise.withResolvers<false>();

  constructor(readonly request: TurnRequest) {}

  get prompt(): StartedPrompt {
    return this.request.prompt;
  }

  /** What the harness gets. */
  get blocks(): readonly ContentBlock[] {
    const { blocks } = this.request;
    return this.summary === null ? blocks : [{ type: 'text', text: this.summary }, ...blocks];
  }

  get isCancelled(): boolean {
    return this.cancelling.signal.aborted;
  }

  get cancelled(): AbortSignal {
    return this.cancelling.signal;
  }

  /** Settles when the harness is done with the prompt. */
  get settled(): Promise<TurnOutcome> {
    return this.outcome.promise;
  }

  get ended(): Promise<EndedPrompt> {
    return this.end.promise;
  }

  /** A second cancel is for the prompt that waits for the end of this turn. */
  cancel(): void {
    if (this.isCancelled) this.cancelledAgain.resolve(false);
    this.cancelling.abort();
  }

  /** For the next prompt. Resolves to false when that prompt is cancelled while it waits. */
  untilEnded(): Promise<boolean> {
    return Promise.race([this.ended.then(() => true), this.cancelledAgain.promise]);
  }

  recordUpdate(update: SessionNotification['update']): void {
    if (!turnUpdates.has(update.sessionUpdate)) return;
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      this.answer = (this.answer + update.content.text).slice(-maxTextLength);
    this.recordOutput();
  }

  recordOutput(): void {
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

/** Updates that only a prompt causes. Modes, commands and usage also change without one. */
const turnUpdates = new Set<SessionNotification['update']['sessionUpdate']>([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

export function plainEnd(stopReason: PromptStopReason, errorMessage: string | null = null): TurnEnd {
  return { stopReason, errorMessage, errorCode: '' };
}

export function failedEnd(stopReason: 'error' | 'fatal_error', error: HarnessError): TurnEnd {
  const { code: errorCode = '', isContextFull = false } = error.detail;
  return { stopReason, errorMessage: error.message, errorCode, ...(isContextFull && { isContextFull }) };
}

/** The end of a turn whose workspace is evicted. */
export function evictedEnd(errorMessage: string): TurnEnd {
  return { stopReason: 'error', errorMessage, errorCode: evictedCode };
}

/** The end of a turn whose harness crashed and was restarted. */
export function recoveredEnd(crash: HarnessError): TurnEnd {
  const what = `${crash.message.replace(/\.$/, '')} during this turn.`;
  const next =
    'It was started again and has loaded the conversation. The message was not sent again: the agent may have done part of the work. Check the result, then send a message to continue.';
  const stderr = crash.detail.stderr?.trim().slice(-maxStderr);
  const errorMessage = stderr ? `${what} ${next}\nLast error output:\n${stderr}` : `${what} ${next}`;
  return { stopReason: 'recovered', errorMessage, errorCode: crash.detail.code || 'agent_crash' };
}

/** Characters of standard error in a message. */
export const maxStderr = 500;

/** The end of a turn whose harness is still running. */
export function endOf(turn: Turn, outcome: Exclude<TurnOutcome, { kind: 'gone' }>): TurnEnd {
  if (outcome.kind === 'answered') return plainEnd(outcome.stopReason);
  // Some harnesses answer a cancelled prompt with an error.
  if (outcome.kind === 'not_invoked' || turn.isCancelled) return plainEnd('cancelled');
  return failedEnd('error', outcome.error);
}

/** True when the turn ended on its own: the rollover is superseded. */
export function isNatural(outcome: TurnOutcome): boolean {
  return outcome.kind === 'answered' && outcome.stopReason !== 'cancelled';
}
