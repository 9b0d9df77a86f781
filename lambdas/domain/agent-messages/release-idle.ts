import type { Table } from '../../shared/table.js';
import { Channel, channelKey } from '../event-channels/channel.js';
import { isPairChannel } from '../event-channels/channel-name.js';
import { Publication, publicationSk, publicationsOf } from '../event-channels/publication.js';
import { endingWrites } from '../event-subscriptions/end-subscription.js';
import {
  EventSubscription,
  type FollowedChannel,
  subscriptionKey,
} from '../event-subscriptions/event-subscription.js';
import { type Follower, listFollowers } from '../event-subscriptions/follower.js';
import { eventKey } from '../project-events/project-event.js';
import { getItem, getItems } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';
import { messageLimits } from './message-limits.js';

interface Release {
  readonly projectId: string;
  /** Its own subscriptions stay, without those that were replaced. */
  readonly channel: string;
  readonly count: number;
  readonly now: Date;
}

const releasedBy = { type: 'system', id: 'agent-messages' } as const;

/**
 * Cancels the least recently matched idle managed subscriptions of other pair channels, which the
 * next message creates again, and replaced ones of any pair channel. Returns their number. Six
 * table calls at most for each.
 */
export async function releaseIdle(
  table: Table,
  { projectId, channel, count, now }: Release,
): Promise<number> {
  const followers = (await listFollowers(table, projectId)).filter(
    ({ channel: followed }) =>
      followed && isPairChannel(followed.name) && (followed.name !== channel || isReplaced(followed)),
  );
  const candidates = (await withRecords(table, followers.slice(0, 100)))
    .filter(({ wakeDueAt }) => wakeDueAt === null)
    .toSorted((a, b) => (lastUse(a) < lastUse(b) ? -1 : 1));
  let released = 0;
  for (const candidate of candidates) {
    if (released === count) break;
    if (await release(table, candidate, now)) released += 1;
  }
  return released;
}

/** The records, each with the channel of its follower, which alone knows `through`. */
async function withRecords(table: Table, followers: readonly Follower[]): Promise<EventSubscription[]> {
  if (followers.length === 0) return [];
  const keyOf = ({ subscriptionId }: Follower) => subscriptionKey(subscriptionId);
  const find = await getItems(table, followers.map(keyOf));
  return followers.flatMap((follower) => {
    const item = find(keyOf(follower));
    return item ? [{ ...EventSubscription.parse(item), channel: follower.channel }] : [];
  });
}

/** Another subscription takes the messages after `through`. */
const isReplaced = ({ through }: FollowedChannel): boolean => through !== undefined;

const lastUse = ({ lastMatchedAt, createdAt }: EventSubscription): string => lastMatchedAt ?? createdAt;

/** Only when every message for it was matched, and none comes at the same time. */
async function release(table: Table, subscription: EventSubscription, now: Date): Promise<boolean> {
  const quiet = await quietness(table, subscription, now);
  if (!quiet) return false;
  const fields = {
    state: 'cancelled',
    cancelledAt: now.toISOString(),
    cancelledBy: releasedBy,
    cancelReason: 'Idle; the project has reached the limit of message subscriptions',
  } as const;
  const [ending, ...rest] = endingWrites(subscription, { fields, now });
  if (!ending || !('update' in ending)) throw new Error('The end of a subscription begins with its record');
  const { when, ...change } = ending.update;
  const unmatched = { ...when, equals: { ...when.equals, matchCount: subscription.matchCount } };
  const outcome = await transact(table, [{ update: { ...change, when: unmatched } }, ...rest, ...quiet]);
  return outcome.committed;
}

/** Checks that keep a message from being lost; undefined while one may still be matched. */
async function quietness(
  table: Table,
  subscription: EventSubscription,
  now: Date,
): Promise<readonly Write[] | undefined> {
  const { channel: followed } = subscription;
  if (followed && isReplaced(followed)) return (await isDrained(table, followed, now)) ? [] : undefined;
  const quiet = await quietChannel(table, subscription, now);
  return quiet && [quiet];
}

/** Whether the last message of a replaced subscription is old, and matched. */
async function isDrained(
  table: Table,
  { generation, through = 0 }: FollowedChannel,
  now: Date,
): Promise<boolean> {
  const last = await findPublication(table, generation, through);
  if (!last) return true;
  const isOld = now.getTime() - Date.parse(last.event.receivedAt) >= messageLimits.idleMs;
  return isOld && isMatched(table, last);
}

async function findPublication(table: Table, channelId: string, sequence: number) {
  const key = { pk: publicationsOf(channelId), sk: publicationSk(sequence) };
  const item = await getItem(table, key);
  return item && Publication.parse(item);
}

/** The check that nothing was published on the channel since it was seen to be quiet. */
async function quietChannel(
  table: Table,
  { projectId, channel: followed, createdAt }: EventSubscription,
  now: Date,
): Promise<Write | undefined> {
  const key = channelKey({ projectId, name: followed?.name ?? '' });
  const item = await getItem(table, key);
  if (!item) return { check: key, when: { exists: false } };
  const { channelId, lifetimeCount, lastPublishedAt } = Channel.parse(item);
  const idleSince = lastPublishedAt > createdAt ? lastPublishedAt : createdAt;
  if (now.getTime() - Date.parse(idleSince) < messageLimits.idleMs) return undefined;
  const last = await findPublication(table, channelId, lifetimeCount);
  if (last && !(await isMatched(table, last))) return undefined;
  return { check: key, when: { equals: { channelId, lifetimeCount } } };
}

async function isMatched(table: Table, { event }: Publication): Promise<boolean> {
  const key = eventKey(event.eventId);
  const item = await getItem(table, key);
  return !item || item.matchCount !== undefined;
}
