import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { ProjectEvent } from '../project-events/project-event.js';
import { withoutNulls } from '../records/changes.js';
import { channelLimits } from './channel-limits.js';

/**
 * A copy of an event in the partition of its channel, so that one consistent query reads a page of
 * the history.
 */
export const Publication = z.object({
  channelId: Ulid,
  /** Counts the publications of this generation from 1. */
  sequence: z.int(),
  event: ProjectEvent,
});

export type Publication = z.infer<typeof Publication>;

export const publicationsOf = (channelId: string): string => `CHANNEL#${channelId}`;

/** Sorts as the number does. */
export const publicationSk = (sequence: number): string =>
  `PUBLICATION#${String(sequence).padStart(12, '0')}`;

export const publicationItem = ({ channelId, sequence, event }: Publication) => ({
  pk: publicationsOf(channelId),
  sk: publicationSk(sequence),
  entity: 'channel-publication',
  schemaVersion: 1,
  expiresAt: Math.floor((Date.parse(event.receivedAt) + channelLimits.retentionMs) / 1_000),
  channelId,
  sequence,
  event: withoutNulls(event),
});
