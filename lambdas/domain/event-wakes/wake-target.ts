import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { orNull, withoutNulls } from '../records/changes.js';
import type { Write } from '../records/transact.js';

/** Of a chat that events have woken: it takes one wake at a time. */
export const WakeTarget = z.object({
  chatId: Ulid,
  /** The batch whose prompt is not delivered yet, and its subscription. */
  batchId: orNull(Ulid),
  subscriptionId: Ulid,
  /** No wake of any subscription before this time. */
  cooldownUntil: z.iso.datetime(),
});
export type WakeTarget = z.infer<typeof WakeTarget>;

export const wakeTargetKey = (chatId: string) => ({ pk: `CHAT#${chatId}`, sk: 'EVENTWAKE' });

/** Longer than a prompt lives. */
const keptSeconds = 3 * 24 * 60 * 60;

/** Claims the chat for a wake, if it is as it was read. */
export const claimTarget = (target: WakeTarget, seen: WakeTarget | undefined): Write => ({
  put: {
    ...wakeTargetKey(target.chatId),
    entity: 'event-wake-target',
    schemaVersion: 1,
    expiresAt: Math.floor(Date.parse(target.cooldownUntil) / 1_000) + keptSeconds,
    ...withoutNulls(target),
  },
  when: seen ? { absent: ['batchId'], equals: { cooldownUntil: seen.cooldownUntil } } : { exists: false },
});

/** Ends the wake of this batch; another one may follow after the cooldown. */
export const releaseTarget = (chatId: string, batchId: string, cooldownUntil: string): Write => ({
  update: {
    key: wakeTargetKey(chatId),
    set: { cooldownUntil },
    remove: ['batchId'],
    when: { equals: { batchId } },
  },
});
