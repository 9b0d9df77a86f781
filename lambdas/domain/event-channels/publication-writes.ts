import { eventPut } from '../project-events/admit-event.js';
import type { ProjectEvent } from '../project-events/project-event.js';
import { rateWindowKey, windowStart } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import type { Change } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import { type Channel, channelItem, channelKey } from './channel.js';
import { countChannel } from './channel-count.js';
import { publicationItem } from './publication.js';
import { reclaimItem } from './reclaim-marker.js';

interface Publishing {
  /** As it was read; undefined when the project has no such channel. */
  readonly seen: Channel | undefined;
  /** After the publication. */
  readonly channel: Channel;
  readonly event: ProjectEvent;
  readonly now: Date;
}

/** The places of the writes whose refusals have a meaning. */
export const at = { event: 0, channel: 1, rate: 2, count: 3 } as const;

/** A publication as one transaction, in the order of `at`; the first one makes the channel too. */
export function publicationWrites({ seen, channel, event, now }: Publishing): readonly Write[] {
  const { channelId, lifetimeCount: sequence } = channel;
  return [
    eventPut(event),
    seen ? { update: advance(seen, channel) } : { put: channelItem(channel), when: { exists: false } },
    { update: countPublication(channel.projectId, now) },
    ...(seen ? [] : [{ update: countChannel(channel) }, { put: reclaimItem(channel), when: {} }]),
    { put: publicationItem({ channelId, sequence, event }), when: { exists: false } },
  ];
}

/** Compare-and-set: the sequence of the publication is the count that the channel has after it. */
const advance = (seen: Channel, { lifetimeCount, lastEventId, lastPublishedAt }: Channel): Change => ({
  key: channelKey(seen),
  set: { lifetimeCount, lastEventId, lastPublishedAt },
  when: { equals: { channelId: seen.channelId, lifetimeCount: seen.lifetimeCount } },
});

/** The window is fixed: a burst at its boundary can span two windows. */
function countPublication(projectId: string, now: Date): Change {
  const limit = rateLimits.CHANNEL_PUBLISH;
  const start = windowStart(limit, now);
  return {
    key: rateWindowKey(limit, projectId, start),
    set: { entity: 'rate-window', schemaVersion: 1, expiresAt: start + 2 * limit.windowSeconds },
    add: { count: 1 },
    when: { absentOrBefore: { count: limit.limit } },
  };
}
