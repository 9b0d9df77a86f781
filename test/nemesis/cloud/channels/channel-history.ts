import type { WriteFault } from './function-faults.js';

/** A message that an agent wants to publish once. Each text is unique. */
export interface Sent {
  readonly publisher: string;
  readonly channel: string;
  readonly message: string;
  /**
   * What each of its calls returned. Several calls with the idempotency key of one message are one
   * publication.
   */
  readonly acknowledged: { readonly eventId: string; readonly sequence: number }[];
}

/** A publication as the history of its channel shows it. */
export interface Shown {
  readonly channel: string;
  readonly sequence: number;
  readonly eventId: string;
  readonly message: string;
  readonly publisher: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

/** One reading of a channel from its first page to its watermark. */
export interface Reading {
  readonly channel: string;
  readonly watermark: number;
  readonly sequences: readonly number[];
  readonly retentionGap: boolean;
}

/** An agent's subscription, with the events that the agent read of it, in its order. */
export interface Follower {
  readonly subscriptionId: string;
  readonly chatId: string;
  readonly wakes: boolean;
  readonly channel: string;
  /** It begins after this sequence. */
  readonly after: number;
  readonly watermark: number;
  readonly seen: { readonly channel: string; readonly sequence: number; readonly eventId: string }[];
}

export interface Match {
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly state: string;
  readonly reason: string | null;
  readonly batchId: string | null;
}

export interface Batch {
  readonly batchId: string;
  readonly subscriptionId: string;
  readonly eventIds: readonly string[];
  readonly state: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface WakePrompt {
  readonly deliveryId: string;
  readonly chatId: string;
  readonly eventIds: readonly string[];
}

export const channelFaultKinds = [
  'order_write_fault',
  'repeat_stream_batch',
  'hold_back_stream',
  'send_wake_ups',
  'delay_wake_ups',
  'lose_wake_up',
  'sweep',
] as const;
export type ChannelFaultKind = (typeof channelFaultKinds)[number];

export interface ChannelLimits {
  readonly publicationsPerMinute: number;
  readonly wakesOfSubscription: number;
  readonly eventsOfBatch: number;
  readonly cooldownMs: number;
}

export interface ChannelHistory {
  readonly sent: Sent[];
  /** Messages with a used idempotency key, which were refused. */
  readonly refused: string[];
  /** Calls that were repeated because their answer was lost or an error. */
  repeats: number;
  /** Calls that met the limit of publications. */
  rateLimited: number;
  readonly readings: Reading[];
  readonly followers: Follower[];
  readonly catchUps: { readonly subscriptionId: string; readonly changed: boolean }[];
  readonly faults: ChannelFaultKind[];
  writeFaults: readonly WriteFault[];
  /** In the end: the history of all channels, and the records of wakes. */
  shown: readonly Shown[];
  matches: readonly Match[];
  batches: readonly Batch[];
  prompts: readonly WakePrompt[];
  /** The texts that coding agents were prompted with. */
  invocations: readonly string[];
}

export const emptyChannelHistory = (): ChannelHistory => ({
  ...{ sent: [], refused: [], repeats: 0, rateLimited: 0, readings: [], followers: [], catchUps: [] },
  ...{ faults: [], writeFaults: [], shown: [], matches: [], batches: [], prompts: [], invocations: [] },
});
