import type { MessageBatch } from '../../../protocol/agent-callbacks.js';

/** What became of messages, and of the activity that went with them. */
export type RideEnd =
  | 'taken'
  /** The messages were taken, and no activity. */
  | 'left'
  | 'refused'
  /** They may have arrived, or arrive yet. */
  | 'unanswered';

/** What an agent does, on its way with messages of its chat: one request for both. */
export interface Ride {
  /** Undefined when there is nothing to tell. */
  readonly activity: MessageBatch['activity'];
  end(how: RideEnd): void;
}

export const noRide: Ride = { activity: undefined, end: () => undefined };
