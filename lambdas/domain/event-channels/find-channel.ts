import type { Table } from '../../shared/table.js';
import { getItem, type Item } from '../records/batch-items.js';
import { Channel, type ChannelRef, channelKey } from './channel.js';
import { channelNotFound } from './errors.js';

/** @throws {channelNotFound} */
export function channelOf(item: Item | undefined): Channel {
  if (!item) throw channelNotFound();
  return Channel.parse(item);
}

/**
 * One table call.
 *
 * @throws {channelNotFound}
 */
export async function findChannel(table: Table, ref: ChannelRef): Promise<Channel> {
  const key = channelKey(ref);
  return channelOf(await getItem(table, key));
}
