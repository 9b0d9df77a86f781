import type { Table } from '../../shared/table.js';
import { countRepeat } from '../project-events/admit-event.js';
import { eventKey, type ProjectEvent } from '../project-events/project-event.js';
import { windowStart } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import { getItems, type Item } from '../records/batch-items.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { type Refusal, transact } from '../records/transact.js';
import { Channel, channelKey } from './channel.js';
import { ChannelMetadata, channelEvent, type PublicationDraft, publishedEventId } from './channel-event.js';
import { channelLimitReached, publicationConflict, publicationRateReached } from './errors.js';
import { at, publicationWrites } from './publication-writes.js';

export interface Published {
  readonly outcome: 'created' | 'duplicate_replay';
  readonly event: ProjectEvent;
  /** Undefined for a repeat after the channel was reclaimed. */
  readonly channel: Channel | undefined;
  readonly sequence: number;
}

interface Publishing {
  readonly draft: PublicationDraft;
  readonly newId: () => string;
  readonly now: Date;
}

/** As many publications at the same moment can go before one. */
const retries = {
  attempts: 25,
  pauseMs: 50,
  message: 'Others published on the channel at the same moment. Repeat the call.',
};

/**
 * Publishes a message and makes the channel if the project has none of that name. A repeat returns
 * the first publication for as long as it is kept. Two table calls, one more for each concurrent
 * publication on the channel.
 *
 * @throws {messageTooLong | publicationConflict | publicationRateReached | channelLimitReached}
 */
export async function publish(table: Table, { draft, newId, now }: Publishing): Promise<Published> {
  const keys = { channel: channelKey(draft), event: eventKey(publishedEventId(draft)) };
  const find = await getItems(table, Object.values(keys));
  const earlier = find(keys.event);
  const seen = channelOf(find(keys.channel));
  if (earlier) return repeat(table, { draft, earlier, seen, now });
  return retryOnConflict(seen, retries, async (present) => {
    const channel = channelAfter(present, { draft, newId, now });
    const sequence = channel.lifetimeCount;
    const event = channelEvent(draft, channel, now);
    const outcome = await transact(table, publicationWrites({ seen: present, channel, event, now }));
    if (outcome.committed) return { result: { outcome: 'created', event, channel, sequence } };
    const refused = outcome.refusals[at.event];
    if (refused?.item && refused.failed)
      return { result: await repeat(table, { draft, earlier: refused.item, seen: present, now }) };
    return { met: presentChannel(draft, outcome.refusals, now) };
  });
}

const channelOf = (item: Item | undefined): Channel | undefined => item && Channel.parse(item);

function channelAfter(seen: Channel | undefined, { draft, newId, now }: Publishing): Channel {
  const lastPublishedAt = now.toISOString();
  if (seen) return { ...seen, lifetimeCount: seen.lifetimeCount + 1, lastPublishedAt };
  const { projectId, name } = draft;
  return {
    channelId: newId(),
    projectId,
    name,
    lifetimeCount: 1,
    createdAt: lastPublishedAt,
    lastPublishedAt,
  };
}

interface Repeat {
  readonly draft: PublicationDraft;
  readonly earlier: Item;
  readonly seen: Channel | undefined;
  readonly now: Date;
}

/** @throws {publicationConflict} the key was used with another message */
async function repeat(table: Table, { draft, earlier, seen, now }: Repeat): Promise<Published> {
  const resent = channelEvent(draft, { channelId: draft.projectId, lifetimeCount: 0 }, now);
  const { outcome, event } = await countRepeat(table, { event: resent, stored: earlier, now });
  if (outcome !== 'duplicate_replay') throw publicationConflict();
  const { sequence } = ChannelMetadata.parse(event.metadata);
  return { outcome, event, channel: seen, sequence };
}

/**
 * The channel that a transaction met, for the next attempt.
 *
 * @throws {publicationRateReached | channelLimitReached}
 */
function presentChannel(
  { name }: Pick<PublicationDraft, 'name'>,
  refusals: readonly Refusal[],
  now: Date,
): Channel | undefined {
  const { windowSeconds, limit } = rateLimits.CHANNEL_PUBLISH;
  const resetAt = windowStart({ windowSeconds }, now) + windowSeconds;
  if (refusals[at.rate]?.failed)
    throw publicationRateReached(limit, Math.max(1, Math.ceil(resetAt - now.getTime() / 1_000)));
  const channel = refusals[at.channel];
  if (channel?.failed) return channelOf(channel.item);
  if (refusals[at.count]?.failed) throw channelLimitReached(name);
  throw new Error('A write of the publication was refused');
}
