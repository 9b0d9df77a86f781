import type { Table } from '../../shared/table.js';
import { Channel, channelKey } from '../event-channels/channel.js';
import { isPairChannel } from '../event-channels/channel-name.js';
import { Publication, publicationSk, publicationsOf } from '../event-channels/publication.js';
import { endingWrites } from '../event-subscriptions/end-subscription.js';
import { EventSubscription, subscriptionKey } from '../event-subscriptions/event-subscription.js';
import { listFollowers } from '../event-subscriptions/follower.js';
import { eventKey } from '../project-events/project-event.js';
import { getItems } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';
import { messageLimits } from './message-limits.js';

interface Release {
  readonly projectId: string;
  /** Its own subscriptions stay. */
  readonly channel: string;
  readonly count: number;
  readonly now: Date;
}

const releasedBy = { type: 'system', id: 'agent-messages' } as const;

/**
 * Cancels the least recently matched idle managed subscriptions of other pair channels; the next
 * message creates them again. Returns their number. Six table calls at most for each.
 */
export async function releaseIdle(
  table: Table,
  { projectId, channel, count, now }: Release,
): Promise<number> {
  const followers = (await listFollowers(table, projectId)).filter(
    ({ channel: followed }) => followed && isPairChannel(followed.name) && followed.name !== channel,
  );
  const keys = followers.slice(0, 100).map(({ subscriptionId }) => subscriptionKey(subscriptionId));
  if (keys.length === 0) return 0;
  const find = await getItems(table, keys);
  const candidates = keys
    .flatMap((key) => find(key) ?? [])
    .map((item) => EventSubscription.parse(item))
    .filter(({ wakeDueAt }) => wakeDueAt === null)
    .toSorted((a, b) => (lastUse(a) < lastUse(b) ? -1 : 1));
  let released = 0;
  for (const candidate of candidates) {
    if (released === count) break;
    if (await release(table, candidate, now)) released += 1;
  }
  return released;
}

const lastUse = ({ lastMatchedAt, createdAt }: EventSubscription): string => lastMatchedAt ?? createdAt;

/** Only when every message of its channel was matched, and none comes at the same time. */
async function release(table: Table, subscription: EventSubscription, now: Date): Promise<boolean> {
  const quiet = await quietChannel(table, subscription, now);
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
  const outcome = await transact(table, [{ update: { ...change, when: unmatched } }, ...rest, quiet]);
  return outcome.committed;
}

/** The check that nothing was published on the channel since it was seen to be quiet. */
async function quietChannel(
  table: Table,
  { projectId, channel: followed, createdAt }: EventSubscription,
  now: Date,
): Promise<Write | undefined> {
  const key = channelKey({ projectId, name: followed?.name ?? '' });
  const item = (await getItems(table, [key]))(key);
  if (!item) return { check: key, when: { exists: false } };
  const { channelId, lifetimeCount, lastPublishedAt } = Channel.parse(item);
  const idleSince = lastPublishedAt > createdAt ? lastPublishedAt : createdAt;
  if (now.getTime() - Date.parse(idleSince) < messageLimits.idleMs) return undefined;
  const last = { pk: publicationsOf(channelId), sk: publicationSk(lifetimeCount) };
  const publication = (await getItems(table, [last]))(last);
  if (publication && !(await isMatched(table, Publication.parse(publication)))) return undefined;
  return { check: key, when: { equals: { channelId, lifetimeCount } } };
}

async function isMatched(table: Table, { event }: Publication): Promise<boolean> {
  const key = eventKey(event.eventId);
  const item = (await getItems(table, [key]))(key);
  return !item || item.matchCount !== undefined;
}
