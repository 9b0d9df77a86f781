import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { type CursorScope, openCursor, Position, sealCursor } from '../cursors/cursor.js';
import {
  EventSubscription,
  effectiveState,
  type SubscriptionState,
} from '../event-subscriptions/event-subscription.js';
import { endedPage } from '../event-subscriptions/find-subscription.js';
import { Follower, followerOrder, listFollowers } from '../event-subscriptions/follower.js';
import type { ChannelRef } from './channel.js';
import { selectsChannel } from './selects-channel.js';

interface SubscriberQuery extends ChannelRef {
  readonly state: SubscriptionState | 'any';
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly cursorKey: string;
  readonly now: Date;
}

export interface Subscriber {
  readonly subscription: Follower;
  readonly state: SubscriptionState;
}

interface SubscriberPage {
  readonly subscribers: readonly Subscriber[];
  readonly nextCursor: string | null;
}

/** After this one in the list of active subscriptions, or at this place of the ended ones. */
const Place = z.union([
  z.object({ after: z.string() }),
  z.object({ pk: z.string(), sk: z.string(), ownerPk: z.string(), ownerSk: z.string() }),
]);
type Place = z.infer<typeof Place>;

const fromStart: Place = { after: '' };

/**
 * The subscriptions that a publication of the channel would match, whoever owns them: first those
 * that no sweep or cancellation has ended, oldest first, then the ended ones, newest first. A page
 * shows the present state. One or two table calls.
 *
 * @throws {InvalidRequest} the cursor is of another project, channel or state
 */
export async function listSubscribers(table: Table, query: SubscriberQuery): Promise<SubscriberPage> {
  const { projectId, name, state, cursor, cursorKey } = query;
  const scope = { cursorKey, query: `subscribers of ${projectId} ${name} ${state}` };
  const place = cursor === undefined ? fromStart : Place.parse(openCursor(scope, cursor));
  if (!('after' in place)) return listEnded(table, query, { scope, place });
  const { subscribers, isLast } = await listStored(table, query, place.after);
  const last = subscribers.at(-1);
  if (!isLast && last)
    return { subscribers, nextCursor: sealCursor(scope, { after: followerOrder(last.subscription) }) };
  if (state === 'active' || subscribers.length === query.limit)
    return { subscribers, nextCursor: state === 'active' ? null : cursorBehind(scope, last) };
  const rest = { ...query, limit: query.limit - subscribers.length };
  const ended = await listEnded(table, rest, { scope, place: undefined });
  return { subscribers: [...subscribers, ...ended.subscribers], nextCursor: ended.nextCursor };
}

const cursorBehind = (scope: CursorScope, last: Subscriber | undefined): string =>
  sealCursor(scope, { after: last ? followerOrder(last.subscription) : '' });

/** One table call for all of a project, at most 200. */
async function listStored(
  table: Table,
  { projectId, name, state, limit, now }: SubscriberQuery,
  after: string,
) {
  const followers = await listFollowers(table, projectId);
  const wanted = followers
    .filter((each) => followerOrder(each) > after && selectsChannel(each, name))
    .map((subscription) => ({
      subscription,
      state: effectiveState({ state: 'active', endsAt: subscription.endsAt }, now),
    }))
    .filter((each) => state === 'any' || each.state === state);
  return { subscribers: wanted.slice(0, limit), isLast: wanted.length <= limit };
}

interface EndedPlace {
  readonly scope: CursorScope;
  readonly place: Exclude<Place, { readonly after: string }> | undefined;
}

/** One call reads a MB: a page can hold fewer than its limit and have a next one. */
async function listEnded(
  table: Table,
  { projectId, name, state, limit }: SubscriberQuery,
  { scope, place }: EndedPlace,
): Promise<SubscriberPage> {
  const { items, next } = await endedPage(table, projectId, place);
  const wanted = items.filter((item) => {
    const subscription = EventSubscription.parse(item);
    return (state === 'any' || subscription.state === state) && selectsChannel(subscription, name);
  });
  const shown = wanted.slice(0, limit);
  const position = shown.length < wanted.length ? Place.parse(shown.at(-1)) : next;
  return {
    subscribers: shown.map((item) => ({
      subscription: Follower.parse(item),
      state: EventSubscription.parse(item).state,
    })),
    nextCursor: position ? sealCursor(scope, Position.parse(position)) : null,
  };
}
