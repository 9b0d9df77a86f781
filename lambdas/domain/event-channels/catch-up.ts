import type { Table } from '../../shared/table.js';
import { subscriptionNotFound } from '../event-subscriptions/errors.js';
import {
  EventSubscription,
  effectiveState,
  subscriptionKey,
} from '../event-subscriptions/event-subscription.js';
import { isOwnPublication } from '../event-subscriptions/matches.js';
import { matchWrites } from '../event-subscriptions/record-match.js';
import type { ProjectEvent } from '../project-events/project-event.js';
import { getItems } from '../records/batch-items.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { CatchUp, catchUpKey, isBehind } from './catch-up-record.js';
import { ChannelMetadata } from './channel-event.js';
import { catchUpExpired, channelRetentionGap, followerEnded, notAFollower } from './errors.js';
import type { Following } from './follow-channel.js';
import { readHistory } from './read-history.js';

/** A match takes two items of a transaction, which has at most 100. */
export const longestCatchUpPage = 40;

interface Asked {
  readonly projectId: string;
  readonly ownerId: string;
  readonly subscriptionId: string;
  readonly limit: number;
  readonly now: Date;
}

const retries = { attempts: 10, message: 'The subscription changed at the same time. Repeat the call.' };

/**
 * Makes the next publications up to the watermark matches of a follower, all of a page or none.
 * A repeat continues after them; a concurrent one changes nothing. Three table calls, one more for
 * each concurrent match.
 *
 * @throws {subscriptionNotFound | notAFollower | followerEnded | catchUpExpired |
 * channelRetentionGap}
 */
export async function catchUpChannel(table: Table, asked: Asked): Promise<Following> {
  const { subscription, catchUp } = await load(table, asked);
  if (!isBehind(catchUp)) return { subscription, catchUp, idempotent: true, changed: false };
  const { now, limit } = asked;
  const state = effectiveState(subscription, now);
  if (state !== 'active') throw followerEnded(state);
  if (Date.parse(catchUp.endsAt) <= now.getTime()) throw catchUpExpired();
  const { channelId, caughtUpThrough: after, watermark: until } = catchUp;
  const page = await readHistory(table, { channelId, limit, now }, { after, until });
  if (page.retentionGap) throw channelRetentionGap();
  const events = page.publications
    .map(({ event }) => event)
    .filter(({ metadata }) => !isOwnPublication(ChannelMetadata.parse(metadata), subscription));
  const step: Step = { catchUp, through: page.through, events, now };
  return retryOnConflict<EventSubscription, Following>(subscription, retries, (seen) =>
    attempt(table, seen, step),
  );
}

async function load(table: Table, { projectId, ownerId, subscriptionId }: Asked) {
  const keys = { subscription: subscriptionKey(subscriptionId), catchUp: catchUpKey(subscriptionId) };
  const find = await getItems(table, Object.values(keys));
  const item = find(keys.subscription);
  const subscription = item && EventSubscription.parse(item);
  if (subscription?.projectId !== projectId || subscription.owner.id !== ownerId)
    throw subscriptionNotFound();
  const catchUp = find(keys.catchUp);
  if (!catchUp) throw notAFollower();
  return { subscription, catchUp: CatchUp.parse(catchUp) };
}

interface Step {
  readonly catchUp: CatchUp;
  readonly through: number;
  readonly events: readonly ProjectEvent[];
  readonly now: Date;
}

async function attempt(
  table: Table,
  seen: EventSubscription,
  step: Step,
): Promise<Attempt<EventSubscription, Following>> {
  if (seen.state !== 'active') throw followerEnded(seen.state);
  const outcome = await transact(table, [advance(step), ...matchesOf(seen, step)]);
  const { catchUp, through, events } = step;
  if (outcome.committed) {
    const subscription = { ...seen, matchCount: seen.matchCount + events.length };
    const advanced = { ...catchUp, caughtUpThrough: through };
    return { result: { subscription, catchUp: advanced, idempotent: false, changed: true } };
  }
  const [advanced, subscription] = outcome.refusals;
  // A concurrent call has admitted the page.
  if (advanced?.failed) {
    const present = CatchUp.parse(advanced.item);
    return { result: { subscription: seen, catchUp: present, idempotent: true, changed: false } };
  }
  if (!subscription?.item) throw subscriptionNotFound();
  return { met: EventSubscription.parse(subscription.item) };
}

const advance = ({ catchUp: { subscriptionId, caughtUpThrough }, through }: Step): Write => ({
  update: {
    key: catchUpKey(subscriptionId),
    set: { caughtUpThrough: through },
    when: { equals: { caughtUpThrough } },
  },
});

const matchesOf = (seen: EventSubscription, { events, now }: Step): readonly Write[] =>
  events.length > 0
    ? matchWrites(seen, { events, now })
    : [{ check: subscriptionKey(seen.subscriptionId), when: { equals: { state: 'active' } } }];
