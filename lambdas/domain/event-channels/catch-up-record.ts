import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { deletedAfter, subscriptionPartition } from '../event-subscriptions/event-subscription.js';
import { channelLimits } from './channel-limits.js';

/**
 * How far a follower has come on its way to the watermark. The stream matches later publications.
 */
export const CatchUp = z.object({
  subscriptionId: Ulid,
  /** Empty: the channel had no publication. */
  channelId: z.string(),
  /** Up to here publications become matches by a catch-up. */
  watermark: z.int(),
  caughtUpThrough: z.int(),
  createdAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
});
export type CatchUp = z.infer<typeof CatchUp>;

export const catchUpKey = (subscriptionId: string) => ({
  pk: subscriptionPartition(subscriptionId),
  sk: 'CATCHUP',
});

/** The time ends once, whatever a repeat asks for. */
export const catchUpItem = (start: Omit<CatchUp, 'createdAt' | 'endsAt'>, now: Date) => {
  const endsAt = new Date(now.getTime() + channelLimits.cursorMs).toISOString();
  return {
    ...catchUpKey(start.subscriptionId),
    entity: 'channel-catch-up',
    schemaVersion: 1,
    expiresAt: deletedAfter(endsAt),
    ...start,
    createdAt: now.toISOString(),
    endsAt,
  };
};

export const isBehind = ({ caughtUpThrough, watermark }: CatchUp): boolean => caughtUpThrough < watermark;
