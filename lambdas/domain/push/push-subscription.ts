import * as z from 'zod/mini';
import { hashText } from '../../shared/hash-text.js';
import type { Key } from '../records/changes.js';

/** Where one browser of a person takes push messages. The endpoint is a secret of the browser. */
export const PushSubscription = z.object({
  subscriptionId: z.string(),
  endpoint: z.string(),
  /** The browser's public key, and the secret that it shares with senders; in base64url. */
  p256dh: z.string(),
  auth: z.string(),
  /** The sign-in session in which it was made. It ends with it. */
  sessionHash: z.string(),
  createdAt: z.iso.datetime(),
});
export type PushSubscription = z.infer<typeof PushSubscription>;

export const maxPushSubscriptions = 10;

/** All of a person: one row, so that its version guards their number. */
export const PushSubscriptions = z.object({
  userId: z.string(),
  subscriptions: z.array(PushSubscription),
  version: z.int(),
});
export type PushSubscriptions = z.infer<typeof PushSubscriptions>;

export const pushKey = (userId: string): Key => ({ pk: `USER#${userId}`, sk: 'PUSH' });

export const pushRow = (record: PushSubscriptions) => ({
  ...pushKey(record.userId),
  entity: 'push-subscriptions',
  schemaVersion: 1,
  ...record,
});

/** A browser that subscribes again has the same one. */
export const subscriptionIdOf = (endpoint: string): string => hashText(`push ${endpoint}`).slice(0, 22);
