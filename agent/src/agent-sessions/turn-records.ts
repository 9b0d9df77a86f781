import type { DatabaseSync } from 'node:sqlite';
import { neverInvoked } from '../../../protocol/agent-sessions.js';
import type { ConversationSink } from '../conversation/conversation.js';
import { inTransaction } from '../store/database.js';
import type { Delivery, ReceiptStore } from './receipt-store.js';
import type { RolloverEnd, RolloverKey, RolloverStore } from './rollover-store.js';
import type { SessionKey } from './session-record.js';
import type { SessionStart, SessionStore } from './session-store.js';
import type { Turn, TurnEnd, TurnRequest } from './turn.js';

interface Acceptance {
  readonly key: SessionKey;
  readonly request: TurnRequest;
  readonly delivery: Delivery | null;
  readonly start: SessionStart | null;
}

/** The two commits of a prompt: that it is accepted, and that it has ended. Each holds all there is to say, or nothing. */
export class TurnRecords {
  constructor(
    private readonly database: DatabaseSync,
    private readonly stores: {
      readonly sessions: SessionStore;
      readonly receipts: ReceiptStore;
      readonly rollovers: RolloverStore;
    },
  ) {}

  /** Once this returns, the acceptance is on disk; nothing may be invoked before. */
  accept({ key, request, delivery, start }: Acceptance, sink: ConversationSink): void {
    const { sessions, receipts } = this.stores;
    inTransaction(this.database, () => {
      if (delivery && !receipts.claim(delivery)) throw new Error('The delivery was taken before');
      if (start && !sessions.start(key, start)) throw new Error('The session does not run');
      sessions.prompted(key, request.prompt.text);
      sink.keepPrompt(request.prompt);
    });
  }

  end(
    turn: Turn,
    end: TurnEnd,
    { sink, rollover }: { readonly sink: ConversationSink; readonly rollover?: RolloverEnd },
  ): void {
    const { delivery } = turn.request;
    inTransaction(this.database, () => {
      if (delivery) this.settle(turn, delivery, end);
      if (turn.preemption && rollover) this.finishRollover(turn.preemption.key, rollover);
      sink.keepRest();
    });
  }

  finishRollover(key: RolloverKey, end: RolloverEnd): void {
    this.stores.rollovers.finish(key, end);
  }

  private settle(turn: Turn, delivery: NonNullable<TurnRequest['delivery']>, end: TurnEnd): void {
    const { receipts } = this.stores;
    const { stopReason } = end;
    // Handed over, and then not a word until the process was gone: it may have been invoked, or not.
    if (turn.isInvoked && !turn.isProven) {
      receipts.loseTrack(delivery, { stopReason, errorCode: 'harness_ended_without_a_sign' });
      return;
    }
    receipts.complete(delivery, { stopReason, errorCode: errorCodeOf(turn, stopReason) });
  }
}

function errorCodeOf(turn: Turn, stopReason: TurnEnd['stopReason']): string | null {
  if (!turn.isInvoked) return neverInvoked;
  return stopReason === 'error' || stopReason === 'fatal_error' ? 'prompt_terminal_error' : null;
}
