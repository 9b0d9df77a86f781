import { setTimeout } from 'node:timers/promises';
import type { Table } from '../../shared/table.js';
import { getItem } from '../records/batch-items.js';
import { Channel, type ChannelRef, channelKey } from './channel.js';

/** Of a publication or a follow that meets other publications of the channel. */
export const channelRetries = {
  attempts: 25,
  message: 'Others published on the channel at the same moment. Repeat the call.',
};

const freeConflicts = 2;
const pauseStepMs = 50;
const longestPauseMs = 400;

/**
 * The conflicts of one call. After the first ones each is followed by a random pause and a new
 * read, so that of many callers some have the channel to themselves.
 */
export class ChannelConflicts {
  private count = 0;

  constructor(
    private readonly table: Table,
    private readonly ref: ChannelRef,
  ) {}

  /** The channel for the next attempt. One table call, or none. */
  async next(met: Channel | undefined): Promise<Channel | undefined> {
    this.count += 1;
    if (this.count <= freeConflicts) return met;
    await setTimeout(Math.random() * Math.min(this.count * pauseStepMs, longestPauseMs));
    const key = channelKey(this.ref);
    const item = await getItem(this.table, key);
    return item && Channel.parse(item);
  }
}
