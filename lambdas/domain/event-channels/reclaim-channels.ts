import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import { Channel, channelKey } from './channel.js';
import { uncountChannel } from './channel-count.js';
import {
  clearMarker,
  listReclaimable,
  type ReclaimMarker,
  reclaimableAt,
  reclaimItem,
  reclaimMarkerKey,
} from './reclaim-marker.js';

interface ReclaimDeps {
  readonly table: Table;
  readonly now: Date;
  readonly log: Log;
}

/**
 * Removes channels from the catalogs that have had no retained publication for 30 days. The next
 * publication of the name begins another generation. One table call, and two for each channel.
 */
export async function reclaimChannels({ table, now, log }: ReclaimDeps): Promise<void> {
  for (const marker of await listReclaimable(table, now)) {
    await reclaim(table, marker, now).catch((error: unknown) => {
      // The others are reclaimed all the same; this one is due again in the next pass.
      log.error('Channel not reclaimed', { projectId: marker.projectId, channel: marker.name, error });
    });
  }
}

async function reclaim(table: Table, marker: ReclaimMarker, now: Date): Promise<void> {
  const key = channelKey(marker);
  const item = (await getItems(table, [key]))(key);
  const channel = item && Channel.parse(item);
  if (channel?.channelId !== marker.channelId) return clearMarker(table, marker);
  const isIdle = reclaimableAt(channel).getTime() <= now.getTime();
  // A publication since then changes the count; the marker is read again in the next pass.
  await transact(table, isIdle ? removal(channel, marker) : postponement(channel, marker));
}

const removal = (channel: Channel, marker: ReclaimMarker) => [
  { delete: channelKey(channel), when: { equals: unchanged(channel) } },
  { update: uncountChannel(channel) },
  { delete: reclaimMarkerKey(marker), when: {} },
];

const postponement = (channel: Channel, marker: ReclaimMarker) => [
  { put: reclaimItem(channel), when: {} },
  { delete: reclaimMarkerKey(marker), when: {} },
];

const unchanged = ({ channelId, lifetimeCount }: Channel) => ({ channelId, lifetimeCount });
