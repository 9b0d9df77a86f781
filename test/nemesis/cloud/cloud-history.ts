/** A message that a person wants an agent to get once. Its text holds its id, so that invocations can be told apart. */
export interface Intent {
  readonly messageId: string;
  readonly sessionId: string;
  readonly text: string;
}

export type CloudFaultKind =
  | 'kill_agent'
  | 'freeze_agent'
  | 'kill_harness'
  | 'kill_worker'
  | 'ring_twice'
  | 'lose_bell';

export interface CloudFault {
  readonly kind: CloudFaultKind;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
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

export interface CloudHistory {
  readonly intents: Intent[];
  /** Which were answered 202, each time that they were. */
  readonly accepted: { readonly messageId: string; readonly deliveryId: string }[];
  readonly faults: CloudFault[];
  readonly outcomes: Outcome[];
  /** Ids of the messages of people that each session shows, in its order. */
  readonly shown: Map<string, readonly string[]>;
}

export const emptyCloudHistory = (): CloudHistory => ({
  intents: [],
  accepted: [],
  faults: [],
  outcomes: [],
  shown: new Map(),
});
