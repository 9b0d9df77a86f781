import type { Invocation } from '../agent/history.js';

/**
 * A message that somebody wants an agent to get once. Its text holds its id, so that invocations
 * are distinct.
 */
export interface Intent {
  readonly messageId: string;
  readonly sessionId: string;
  readonly text: string;
  /** A stranger is a member who has not begun the chat, and so may not write to its agent. */
  readonly by: 'creator' | 'stranger';
  /** It cancels the turn that runs, and goes before what waits. */
  readonly interrupts: boolean;
}

export const cloudFaultKinds = [
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
  'kill_route',
  'send_wake_ups',
  'delay_wake_ups',
  'lose_wake_up',
  'repeat_batch',
  'lose_node',
  'remove_member',
] as const;
export type CloudFaultKind = (typeof cloudFaultKinds)[number];

export interface CloudFault {
  readonly kind: CloudFaultKind;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Which chats it may have touched; null: any. */
  readonly sessionIds: readonly string[] | null;
}

/** What the API says of an intent in the end. */
export interface Outcome {
  readonly messageId: string;
  readonly sessionId: string;
  readonly state: string;
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly sequence: number;
}

/** What a coding agent wrote down of a message that it was given. */
export interface CloudInvocation extends Invocation {
  /** When it had said all that it had to; null when it never came to that. */
  readonly endedAt: number | null;
}

export type BatchRepeat = 'again' | 'overlapping' | 'other_generation';

export interface CloudHistory {
  readonly intents: Intent[];
  /** Which were answered 202, each time that they were. */
  readonly accepted: { readonly messageId: string; readonly deliveryId: string }[];
  /** Permanently refused intents, once per refusal. */
  readonly refused: string[];
  readonly faults: CloudFault[];
  /** What a node had reported of its conversations and reported again, with the answer. */
  readonly repeats: { readonly as: BatchRepeat; readonly status: number }[];
  readonly outcomes: Outcome[];
  /** Ids of the messages of people that each session shows, in its order. */
  readonly shown: Map<string, readonly string[]>;
  /** All that the agent of each session has said, as it is shown. */
  readonly said: Map<string, string>;
}

export const emptyCloudHistory = (): CloudHistory => ({
  intents: [],
  accepted: [],
  refused: [],
  faults: [],
  repeats: [],
  outcomes: [],
  shown: new Map(),
  said: new Map(),
});

/** What an agent says at the end of a turn, which no other one does. */
export const answerTo = (messageId: string): string => `done ${messageId};`;
