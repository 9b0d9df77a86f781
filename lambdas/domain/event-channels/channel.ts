import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { ChannelName } from './channel-name.js';

/** One generation of a channel in the catalog of a project. */
export const Channel = z.object({
  /**
   * The generation. A channel that was reclaimed gets another one, and counts from 1 again.
   */
  channelId: Ulid,
  projectId: Ulid,
  name: ChannelName,
  /** Publications ever; also the sequence of the last one. */
  lifetimeCount: z.int(),
  /** Of the last publication. */
  lastEventId: z.optional(Ulid),
  createdAt: z.iso.datetime(),
  lastPublishedAt: z.iso.datetime(),
});

export type Channel = z.infer<typeof Channel>;
export type ChannelRef = Pick<Channel, 'projectId' | 'name'>;

/** The catalog: one partition, sorted by name. */
export const catalogOf = (projectId: string): string => `PROJECT#${projectId}#CHANNELS`;

export const channelKey = ({ projectId, name }: ChannelRef) => ({ pk: catalogOf(projectId), sk: name });

export const channelItem = (channel: Channel) => ({
  ...channelKey(channel),
  entity: 'event-channel',
  schemaVersion: 1,
  ...channel,
});

/** Counts the channels of a project, ordinary and pair channels apart. */
export const channelCountKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'CHANNELCOUNT' });

export const channelView = ({ channelId, name, lifetimeCount, createdAt, lastPublishedAt }: Channel) => ({
  id: channelId,
  name,
  lifetimeCount,
  createdAt,
  lastPublishedAt,
});
