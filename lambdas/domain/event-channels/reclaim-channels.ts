import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { getItem } from '../records/batch-items.js';
import { eachDue } from '../records/each-due.js';
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
  await eachDue(
    await listReclaimable(table, now),
    (marker) => reclaim(table, marker, now),
    ({ projectId, name: channel }, error) =>
      log.error('Channel not reclaimed', { projectId, channel, error }),
  );
}

async function reclaim(table: Table, marker: ReclaimMarker, now: Date): Promise<void> {
  const key = channelKey(marker);
  const item = await getItem(table, key);
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
