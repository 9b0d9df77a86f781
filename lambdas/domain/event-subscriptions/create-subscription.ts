import type { Table } from '../../shared/table.js';
import { getItem, type Item } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';
import { endElapsed } from './end-subscription.js';
import { endIsPast, eventCapacity, subscriptionKeyReused } from './errors.js';
import {
  EventSubscription,
  effectiveState,
  maxActiveSubscriptions,
  subscriptionCountKey,
  subscriptionItem,
  subscriptionKey,
} from './event-subscription.js';
import { followerItem } from './follower.js';

export interface Creation {
  readonly subscription: EventSubscription;
  /** An earlier call with the key has created it. */
  readonly idempotent: boolean;
  readonly changed: boolean;
}

/**
 * Stores a subscription with its follower, within the limit of the project. A repeat returns the
 * stored one, whatever became of it. One table call; when the limit is reached also those that mark
 * elapsed subscriptions.
 *
 * @throws {subscriptionKeyReused | endIsPast | eventCapacity}
 */
export async function createSubscription(
  table: Table,
  subscription: EventSubscription,
  now: Date,
): Promise<Creation> {
  if (effectiveState(subscription, now) === 'expired') return replayElapsed(table, subscription);
  const first = await store(table, subscription);
  const isFull = first === 'full' && (await endElapsed(table, subscription.projectId, now)) > 0;
  const outcome = isFull ? await store(table, subscription) : first;
  if (outcome === 'full') throw eventCapacity();
  return outcome;
}

/** The end that a repeat asks for may have passed since the first call. */
async function replayElapsed(table: Table, subscription: EventSubscription): Promise<Creation> {
  const key = subscriptionKey(subscription.subscriptionId);
  const stored = await getItem(table, key);
  if (!stored) throw endIsPast();
  return replayOf(subscription, stored);
}

async function store(table: Table, subscription: EventSubscription): Promise<Creation | 'full'> {
  const outcome = await transact(table, creationWrites(subscription));
  if (outcome.committed) return { subscription, idempotent: false, changed: true };
  const [record, , count] = outcome.refusals;
  if (record?.failed) return replayOf(subscription, record.item);
  if (count?.failed) return 'full';
  throw new Error('The follower of the subscription exists already');
}

/** The subscription, its follower and the count of the project, in this order. */
export const creationWrites = (subscription: EventSubscription): readonly Write[] => [
  { put: subscriptionItem(subscription), when: { exists: false } },
  { put: followerItem(subscription), when: { exists: false } },
  {
    update: {
      key: subscriptionCountKey(subscription.projectId),
      set: { entity: 'event-subscription-count', schemaVersion: 1 },
      add: { activeCount: 1 },
      when: { absentOrBefore: { activeCount: maxActiveSubscriptions } },
    },
  },
];

/** @throws {subscriptionKeyReused} */
export function replayOf(
  { definition }: Pick<EventSubscription, 'definition'>,
  stored: Item | undefined,
): Creation {
  const earlier = EventSubscription.parse(stored);
  if (earlier.definition !== definition) throw subscriptionKeyReused();
  return { subscription: earlier, idempotent: true, changed: false };
}
