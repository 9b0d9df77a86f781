import type { Table } from '../../shared/table.js';
import { countRepeat } from '../project-events/admit-event.js';
import { eventKey, type ProjectEvent } from '../project-events/project-event.js';
import { windowStart } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import { type Find, getItems, type Item } from '../records/batch-items.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { type Refusal, transact, type Write } from '../records/transact.js';
import { Channel, channelKey } from './channel.js';
import { ChannelConflicts, channelRetries } from './channel-conflicts.js';
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

/** Writes of the same transaction, decided for each attempt. */
export interface Companions {
  /** For the channel as it is after the publication. */
  writes(channel: Channel): readonly Write[];
  /** Decides again after a refusal of one of them. */
  refused(refusals: readonly Refusal[]): Promise<void>;
}

interface Publishing {
  readonly draft: PublicationDraft;
  /** The items of `publicationKeys`, for a caller that has read them with its own. */
  readonly find?: Find;
  readonly companions?: Companions;
  readonly newId: () => string;
  readonly now: Date;
}

/** The keys of the items that a publication reads. */
export const publicationKeys = (draft: PublicationDraft) => ({
  channel: channelKey(draft),
  event: eventKey(publishedEventId(draft)),
});

/**
 * Publishes a message and makes the channel if the project has none of that name. A repeat returns
 * the first publication for as long as it is kept. Two table calls, one or two more for each
 * concurrent publication on the channel.
 *
 * @throws {messageTooLong | publicationConflict | publicationRateReached | channelLimitReached}
 */
export async function publish(table: Table, publishing: Publishing): Promise<Published> {
  const { draft, now } = publishing;
  const keys = publicationKeys(draft);
  const find = publishing.find ?? (await getItems(table, Object.values(keys)));
  const earlier = find(keys.event);
  const seen = channelOf(find(keys.channel));
  if (earlier) return repeat(table, { draft, earlier, seen, now });
  const conflicts = new ChannelConflicts(table, draft);
  return retryOnConflict<Channel | undefined, Published>(seen, channelRetries, async (present) => {
    const outcome = await attempt(table, present, publishing);
    return 'met' in outcome ? { met: await conflicts.next(outcome.met) } : outcome;
  });
}

async function attempt(
  table: Table,
  seen: Channel | undefined,
  publishing: Publishing,
): Promise<Attempt<Channel | undefined, Published>> {
  const { draft, now, companions } = publishing;
  const channel = channelAfter(seen, publishing);
  const previousEventId = seen?.lastEventId ?? null;
  const event = { ...channelEvent(draft, channel, now), previousEventId };
  const own = publicationWrites({ seen, channel, event, now });
  const outcome = await transact(table, [...own, ...(companions?.writes(channel) ?? [])]);
  if (outcome.committed)
    return { result: { outcome: 'created', event, channel, sequence: channel.lifetimeCount } };
  const refusals = outcome.refusals.slice(0, own.length);
  const { failed, item: earlier } = refusals[at.event] ?? {};
  if (failed && earlier) return { result: await repeat(table, { draft, earlier, seen, now }) };
  if (refusals.some((each) => each.failed)) return { met: presentChannel(draft, refusals, now) };
  await companions?.refused(outcome.refusals.slice(own.length));
  return { met: seen };
}

const channelOf = (item: Item | undefined): Channel | undefined => item && Channel.parse(item);

function channelAfter(seen: Channel | undefined, { draft, newId, now }: Publishing): Channel {
  const lastPublishedAt = now.toISOString();
  const lastEventId = publishedEventId(draft);
  if (seen) return { ...seen, lifetimeCount: seen.lifetimeCount + 1, lastEventId, lastPublishedAt };
  const { projectId, name } = draft;
  return {
    channelId: newId(),
    projectId,
    name,
    lifetimeCount: 1,
    lastEventId,
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
