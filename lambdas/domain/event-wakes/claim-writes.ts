import type { EventBatch } from '../event-subscriptions/event-batch.js';
import { type EventMatch, matchKey } from '../event-subscriptions/event-match.js';
import { type EventSubscription, subscriptionKey } from '../event-subscriptions/event-subscription.js';
import { dueEventWakes } from '../event-subscriptions/wake-due.js';
import { type FieldChanges, recordChange } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import type { LoadedWake } from './load-wake.js';

interface Progress {
  /** When its next wake is due; null when it has no more matches. */
  readonly dueAt: string | null;
  readonly set?: FieldChanges<EventSubscription>;
  readonly now: Date;
}

/** Changes a subscription that is still as it was read, also in its matches. */
export function progress({ subscription }: Pick<LoadedWake, 'subscription'>, change: Progress): Write {
  const { subscriptionId, version } = subscription;
  const { dueAt, set, now } = change;
  const isDue = dueAt !== null;
  return {
    update: recordChange<EventSubscription>(subscriptionKey(subscriptionId), {
      set: { ...set, wakeDueAt: dueAt },
      index: {
        parentPk: isDue ? dueEventWakes : null,
        parentSk: isDue ? `${dueAt}#${subscriptionId}` : null,
      },
      when: { equals: { version } },
      now,
    }),
  };
}

/** More matches may wait than were read, or may have come since. */
export const hasMore = ({ subscription, readThrough }: LoadedWake): boolean =>
  subscription.matchCount > readThrough;

interface MatchEnd {
  readonly to: EventMatch['state'];
  readonly reason?: string;
  readonly batchId?: EventBatch['batchId'];
  readonly now: Date;
}

/** Ends the waiting of a match that nobody has acknowledged. */
export const endMatch = (match: EventMatch, { to, reason, batchId, now }: MatchEnd): Write => ({
  update: {
    key: matchKey(match),
    set: { state: to, reason, batchId, updatedAt: now.toISOString() },
    when: { equals: { state: 'matched' }, absent: ['acknowledgedAt'] },
  },
});
