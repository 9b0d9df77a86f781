import type { PromptReceipt } from '../../../protocol/agent-sessions.js';

/** A request that a client wants executed exactly once. */
export interface Intent {
  readonly deliveryId: string;
  readonly sessionId: string;
  readonly kind: 'prompt' | 'start';
  /** Contains the id of the delivery, to identify invocations. */
  readonly text: string;
}

export type Cut = 'none' | 'within_request' | 'after_request' | 'at_reply';

/** One request and its answer. Times are epoch milliseconds. */
export interface Sending {
  readonly deliveryId: string;
  /** The text, when it differs from that of the intent. */
  readonly changedText: string | null;
  readonly cut: Cut;
  readonly sentAt: number;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly word: string | null;
}

/** A receipt as read: its state at some time between request and answer. */
export interface Sighting {
  readonly deliveryId: string;
  readonly askedAt: number;
  readonly at: number;
  readonly state: PromptReceipt['state'] | 'not_found';
  readonly acceptedAt: number | null;
}

export interface Fault {
  readonly kind: 'kill_agent' | 'kill_harness' | 'freeze_harness';
  /** Id of the killed or frozen process. */
  readonly pid: number;
  readonly from: number;
  readonly to: number;
}

export interface Invocation {
  readonly text: string;
  /** Process id of the harness. */
  readonly pid: number;
  readonly at: number;
}

/** Events of driver, faults and harness. */
export interface History {
  readonly intents: Intent[];
  readonly sendings: Sending[];
  readonly sightings: Sighting[];
  readonly faults: Fault[];
  /** Deliveries with an unknown result, which the rules forbid to repeat. */
  readonly givenUp: string[];
}

export function emptyHistory(): History {
  return { intents: [], sendings: [], sightings: [], faults: [], givenUp: [] };
}

const mark = /delivery=([A-Za-z0-9._:-]+)/;

export function deliveryOf(text: string): string | null {
  return mark.exec(text)?.[1] ?? null;
}
