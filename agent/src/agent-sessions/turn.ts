import type { ContentBlock, SessionNotification, StopReason } from '@agentclientprotocol/sdk';
import type { EndedPrompt, StartedPrompt } from '../conversation/conversation.js';
import type { HarnessError, HarnessExit } from '../harness/harness.js';
import type { DeliveryKey } from '../receipts/receipt-store.js';
import type { RolloverKey } from '../rollovers/rollover-store.js';

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
  isProven = false;
  /** What has come of it is visible to people or tools. */
  isHeard = false;
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

  hear(update: SessionNotification['update']['sessionUpdate']): void {
    if (!signs.has(update)) return;
    this.isHeard = true;
    this.isProven = true;
  }

  settle(outcome: TurnOutcome): void {
    if (outcome.kind === 'answered' || outcome.kind === 'refused') this.isProven = true;
    this.outcome.resolve(outcome);
  }

  finish(end: EndedPrompt): void {
    this.end.resolve(end);
  }
}

/** Other updates (modes, commands, usage) come without a prompt, too. */
const signs = new Set<SessionNotification['update']['sessionUpdate']>([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);
