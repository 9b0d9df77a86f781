import type { PromptReceipt } from '../../../protocol/agent-sessions.js';

/** Something that a client wants to have done exactly once. */
export interface Intent {
  readonly deliveryId: string;
  readonly sessionId: string;
  readonly kind: 'prompt' | 'start';
  /** Holds the delivery's id, so that invocations can be told apart. */
  readonly text: string;
}

export type Cut = 'none' | 'within_request' | 'after_request' | 'at_reply';

/** One request and what its sender came to know of it. Times are epoch milliseconds. */
export interface Sending {
  readonly deliveryId: string;
  /** What was sent, where it is not the intent's own text. */
  readonly changedText: string | null;
  readonly cut: Cut;
  readonly sentAt: number;
  /** Null: no answer. */
  readonly status: number | null;
  readonly word: string | null;
}

/** A receipt as somebody saw it: as it was at some moment between question and answer. */
export interface Sighting {
  readonly deliveryId: string;
  readonly askedAt: number;
  readonly at: number;
  readonly state: PromptReceipt['state'] | 'not_found';
  readonly acceptedAt: number | null;
}

export interface Fault {
  readonly kind: 'kill_agent' | 'kill_harness' | 'freeze_harness';
  /** Of what was killed or frozen. */
  readonly pid: number;
  readonly from: number;
  readonly to: number;
}

export interface Invocation {
  readonly text: string;
  /** Of the harness. */
  readonly pid: number;
  readonly at: number;
}

/** All that driver, faults and harness have seen. */
export interface History {
  readonly intents: Intent[];
  readonly sendings: Sending[];
  readonly sightings: Sighting[];
  readonly faults: Fault[];
  /** Deliveries that the client's rules told it to leave alone, not knowing whether they were taken. */
  readonly givenUp: string[];
}

export function emptyHistory(): History {
  return { intents: [], sendings: [], sightings: [], faults: [], givenUp: [] };
}

const mark = /delivery=([A-Za-z0-9._:-]+)/;

export function deliveryOf(text: string): string | null {
  return mark.exec(text)?.[1] ?? null;
}
