import type { Table } from '../../shared/table.js';
import { listDue } from '../records/list-due.js';
import { recordAfter, recordChange } from '../records/record-change.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import {
  EventSubscription,
  effectiveState,
  endedSubscriptions,
  managedKeyPrefix,
  type SubscriptionParty,
  subscriptionCountKey,
  subscriptionKey,
} from './event-subscription.js';
import { loadSubscriptions } from './find-subscription.js';
import { expiringSubscriptions, Follower, followerKey, listFollowers } from './follower.js';

export interface Ending {
  readonly subscription: EventSubscription;
  /** It had ended already. */
  readonly idempotent: boolean;
  readonly changed: boolean;
}

interface Cancellation {
  readonly by: SubscriptionParty;
  readonly reason: string | null;
  readonly now: Date;
}

const retries = { attempts: 5, message: 'The subscription changed at the same time. Try again.' };

/**
 * Cancels a subscription. One that has ended stays as it is, and one that has elapsed is marked
 * expired. One table call, and one for each concurrent end.
 */
export const cancelSubscription = (
  table: Table,
  subscription: EventSubscription,
  { by, reason, now }: Cancellation,
): Promise<Ending> =>
  end(table, subscription, {
    fields: { state: 'cancelled', cancelledAt: now.toISOString(), cancelledBy: by, cancelReason: reason },
    now,
  });

interface End {
  readonly fields: Partial<EventSubscription> & Pick<EventSubscription, 'state'>;
  readonly now: Date;
}

function end(table: Table, seen: EventSubscription, { fields, now }: End): Promise<Ending> {
  return retryOnConflict<EventSubscription, Ending>(seen, retries, async (subscription) => {
    if (subscription.state !== 'active')
      return { result: { subscription, idempotent: true, changed: false } };
    const hasElapsed = effectiveState(subscription, now) === 'expired';
    const set = hasElapsed ? ({ state: 'expired' } as const) : fields;
    const outcome = await transact(table, endingWrites(subscription, { fields: set, now }));
    if (!outcome.committed) {
      const [record] = outcome.refusals;
      return { met: EventSubscription.parse(record?.item) };
    }
    const after = EventSubscription.parse(recordAfter<EventSubscription>(subscription, { set, now }));
    return { result: { subscription: after, idempotent: hasElapsed, changed: !hasElapsed } };
  });
}

/** The end of an active subscription: its record, its follower and the count of the project. */
export function endingWrites(
  { projectId, subscriptionId, endsAt, idempotencyKey }: EventSubscription,
  { fields, now }: End,
): readonly Write[] {
  const endedAt = fields.state === 'expired' ? endsAt : now.toISOString();
  const change = recordChange<EventSubscription>(subscriptionKey(subscriptionId), {
    set: fields,
    index: { ownerPk: endedSubscriptions(projectId), ownerSk: `${endedAt}#${subscriptionId}` },
    when: { equals: { state: 'active' } },
    now,
  });
  const isManaged = idempotencyKey.startsWith(managedKeyPrefix);
  const counted = { activeCount: -1, ...(isManaged ? { managedCount: -1 } : {}) };
  return [
    { update: change },
    { delete: followerKey({ projectId, subscriptionId }), when: {} },
    {
      update: { key: subscriptionCountKey(projectId), add: counted, when: { exists: true } },
    },
  ];
}

/** Marks those of a project that have elapsed. Returns their number. */
export async function endElapsed(table: Table, projectId: string, now: Date): Promise<number> {
  const followers = await listFollowers(table, projectId);
  const elapsed = followers.filter(({ endsAt }) => Date.parse(endsAt) <= now.getTime());
  return expireAll(table, elapsed, now);
}

const perPass = 50;

/** Marks elapsed subscriptions of all projects, the longest overdue first. */
export async function sweepElapsed(table: Table, now: Date): Promise<void> {
  const items = await listDue(table, { partition: expiringSubscriptions, now, limit: perPass });
  await expireAll(
    table,
    items.map((item) => Follower.parse(item)),
    now,
  );
}

/** More would hold up the caller. */
const maxEnds = 100;

async function expireAll(table: Table, followers: readonly Follower[], now: Date): Promise<number> {
  const ids = followers.slice(0, maxEnds).map(({ subscriptionId }) => subscriptionId);
  const subscriptions = await loadSubscriptions(table, ids);
  for (const subscription of subscriptions)
    await end(table, subscription, { fields: { state: 'expired' }, now });
  return subscriptions.length;
}
