import { canonicalJson } from '../../shared/canonical-json.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { creationWrites, replayOf } from '../event-subscriptions/create-subscription.js';
import { endElapsed } from '../event-subscriptions/end-subscription.js';
import { endIsPast, eventCapacity } from '../event-subscriptions/errors.js';
import {
  agentOwnerId,
  type EventSubscription,
  effectiveState,
  subscriptionIdOf,
  subscriptionKey,
} from '../event-subscriptions/event-subscription.js';
import {
  type AgentOwner,
  newAgentSubscription,
  type SubscriptionRequest,
} from '../event-subscriptions/new-subscription.js';
import { getItem, getItems, type Item } from '../records/batch-items.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { type Refusal, transact } from '../records/transact.js';
import { CatchUp, catchUpItem, catchUpKey } from './catch-up-record.js';
import { Channel, type ChannelRef, channelKey } from './channel.js';
import { ChannelConflicts, channelRetries } from './channel-conflicts.js';
import { channelFilter } from './channel-filter.js';
import { historyCursorExpired } from './errors.js';
import { openHistoryCursor, placeOfCursor } from './history-cursor.js';

type Asked = Pick<SubscriptionRequest, 'idempotencyKey' | 'requestedDelivery' | 'reason' | 'expiresAt'>;

export interface FollowRequest extends Asked {
  readonly owner: AgentOwner;
  readonly name: string;
  /** Of the history; without one the follower begins with the next publication. */
  readonly cursor: string | undefined;
}

interface Circumstances {
  readonly isWakeEnabled: boolean;
  readonly now: Date;
}

export interface Following {
  readonly subscription: EventSubscription;
  readonly catchUp: CatchUp;
  readonly idempotent: boolean;
  readonly changed: boolean;
}

/**
 * Subscribes to a channel. Its count at this moment is the watermark: publications up to it are for
 * the catch-up, later ones are matched by the stream. One transaction checks the count and stores
 * the subscription, so that a concurrent publication is before or after both. A repeat returns the
 * first watermark and deadline. Two table calls, one or two more for each concurrent publication.
 *
 * @throws {invalidHistoryCursor | historyCursorExpired | subscriptionKeyReused | endIsPast |
 * eventCapacity}
 */
export async function followChannel(
  table: Table,
  asked: FollowRequest,
  circumstances: Circumstances,
): Promise<Following> {
  const ref = { projectId: asked.owner.projectId, name: asked.name };
  const subscriptionId = idOf(asked);
  const keys = {
    channel: channelKey(ref),
    subscription: subscriptionKey(subscriptionId),
    catchUp: catchUpKey(subscriptionId),
  };
  const find = await getItems(table, Object.values(keys));
  const earlier = find(keys.subscription);
  if (earlier) return replay(asked, earlier, find(keys.catchUp));
  const channel = find(keys.channel);
  const seen = { channel: channel && Channel.parse(channel), hasRoom: true };
  const conflicts = new ChannelConflicts(table, ref);
  return retryOnConflict<Seen, Following>(seen, channelRetries, async (present) => {
    const outcome = await attempt(table, { asked, ref, seen: present }, circumstances);
    if ('result' in outcome) return outcome;
    return { met: { ...outcome.met, channel: await conflicts.next(outcome.met.channel) } };
  });
}

interface Seen {
  readonly channel: Channel | undefined;
  /** False after the limit of the project was met, and elapsed subscriptions were ended. */
  readonly hasRoom: boolean;
}

interface Start {
  readonly asked: FollowRequest;
  readonly ref: ChannelRef;
  readonly seen: Seen;
}

async function attempt(
  table: Table,
  start: Start,
  circumstances: Circumstances,
): Promise<Attempt<Seen, Following>> {
  const { asked, ref, seen } = start;
  const { now } = circumstances;
  const { subscription, catchUp } = newFollower(start, circumstances);
  const { channel } = seen;
  const outcome = await transact(table, [
    ...creationWrites(subscription),
    { check: channelKey(ref), when: channel ? { equals: unchanged(channel) } : { exists: false } },
    { put: catchUp, when: { exists: false } },
  ]);
  if (outcome.committed)
    return {
      result: { subscription, catchUp: CatchUp.parse(catchUp), idempotent: false, changed: true },
    };
  const [record, , count, check] = outcome.refusals;
  if (record?.failed) return { result: await replayMet(table, asked, record.item) };
  if (check?.failed) return { met: { ...seen, channel: channelMet(check) } };
  if (count?.failed && seen.hasRoom && (await endElapsed(table, ref.projectId, now)) > 0)
    return { met: { ...seen, hasRoom: false } };
  throw count?.failed ? eventCapacity() : new Error('A record of the subscription exists already');
}

function newFollower({ asked, ref, seen: { channel } }: Start, circumstances: Circumstances) {
  const { owner, idempotencyKey, requestedDelivery, reason, expiresAt, cursor } = asked;
  const { name } = ref;
  const { now } = circumstances;
  const watermark = channel?.lifetimeCount ?? 0;
  if (cursor !== undefined && !channel) throw historyCursorExpired();
  const after = cursor === undefined || !channel ? watermark : openHistoryCursor(channel, cursor, now).after;
  const channelId = channel?.channelId ?? '';
  const subscription: EventSubscription = {
    ...newAgentSubscription(
      owner,
      {
        ...{ idempotencyKey, requestedDelivery, reason, expiresAt, target: {} },
        filter: channelFilter(name),
        channel: { name, generation: channelId, watermark },
      },
      circumstances,
    ),
    definition: definitionOf(asked),
  };
  if (effectiveState(subscription, now) === 'expired') throw endIsPast();
  const { subscriptionId } = subscription;
  const catchUp = catchUpItem({ subscriptionId, channelId, watermark, caughtUpThrough: after }, now);
  return { subscription, catchUp };
}

/** The arguments that a repeat must have in common with the first call. */
const definitionOf = ({ name, cursor, requestedDelivery, reason, expiresAt }: FollowRequest): string =>
  hashText(
    canonicalJson({
      follow: name,
      start: cursor === undefined ? null : placeOfCursor(cursor),
      ...{ requestedDelivery, reason, expiresAt },
    }),
  );

const idOf = ({ owner: { projectId, chatId }, idempotencyKey }: FollowRequest): string =>
  subscriptionIdOf(projectId, { type: 'agent', id: agentOwnerId(projectId, chatId) }, idempotencyKey);

const unchanged = ({ channelId, lifetimeCount }: Channel) => ({ channelId, lifetimeCount });

const channelMet = ({ item }: Refusal): Channel | undefined => item && Channel.parse(item);

/** @throws {subscriptionKeyReused} */
function replay(asked: FollowRequest, stored: Item, catchUp: Item | undefined): Following {
  const definition = definitionOf(asked);
  const { subscription } = replayOf({ definition }, stored);
  return { subscription, catchUp: CatchUp.parse(catchUp), idempotent: true, changed: false };
}

async function replayMet(table: Table, asked: FollowRequest, stored: Item | undefined): Promise<Following> {
  const key = catchUpKey(idOf(asked));
  return replay(asked, stored ?? {}, await getItem(table, key));
}
