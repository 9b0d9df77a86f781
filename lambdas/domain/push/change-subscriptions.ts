import { createECDH } from 'node:crypto';
import type { Table } from '../../shared/table.js';
import { getItem } from '../records/batch-items.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { sessionKey } from '../sessions/session.js';
import { pushEndpointRefused, pushKeyRefused, pushLimitReached, sessionEnded } from './errors.js';
import { isPushEndpoint } from './push-address.js';
import {
  maxPushSubscriptions,
  type PushSubscription,
  PushSubscriptions,
  pushKey,
  pushRow,
  subscriptionIdOf,
} from './push-subscription.js';

const retries = { attempts: 5, message: 'Your push subscriptions changed at the same time. Try again.' };

/** One table call. */
export async function loadSubscriptions(table: Table, userId: string): Promise<PushSubscriptions> {
  const key = pushKey(userId);
  return subscriptionsIn(await getItem(table, key), userId);
}

export const subscriptionsIn = (row: unknown, userId: string): PushSubscriptions =>
  row ? PushSubscriptions.parse(row) : { userId, subscriptions: [], version: 0 };

interface NewSubscription {
  readonly userId: string;
  readonly sessionHash: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** The origin of the laptop's push service. */
  readonly local: string | undefined;
  readonly now: Date;
}

/**
 * Adds a browser, or replaces its former keys. Two table calls, and more for a conflict.
 *
 * @throws {pushEndpointRefused | pushKeyRefused | pushLimitReached}
 * @throws {sessionEnded} the sign-in session has ended at the same time
 */
export async function addSubscription(table: Table, asked: NewSubscription): Promise<PushSubscription> {
  const { userId, sessionHash, endpoint, keys, local, now } = asked;
  if (!isPushEndpoint(endpoint, local)) throw pushEndpointRefused();
  if (!isPoint(keys.p256dh)) throw pushKeyRefused();
  const subscriptionId = subscriptionIdOf(endpoint);
  const { p256dh, auth } = keys;
  const own = { subscriptionId, endpoint, p256dh, auth, sessionHash, createdAt: now.toISOString() };
  const session: Write = { check: sessionKey(sessionHash), when: { exists: true } };
  await change(table, userId, {
    also: [session],
    to: (present) => {
      const others = present.filter((one) => one.subscriptionId !== subscriptionId);
      if (others.length >= maxPushSubscriptions) throw pushLimitReached();
      return [...others, own];
    },
  });
  return own;
}

/** Repeatable. One table call, and more where there is something to remove. */
export const removeSubscriptions = (
  table: Table,
  userId: string,
  isRemoved: (one: PushSubscription) => boolean,
): Promise<void> =>
  change(table, userId, { also: [], to: (present) => present.filter((one) => !isRemoved(one)) });

interface Changed {
  readonly also: readonly Write[];
  readonly to: (present: readonly PushSubscription[]) => readonly PushSubscription[];
}

async function change(table: Table, userId: string, changed: Changed): Promise<void> {
  const seen = await loadSubscriptions(table, userId);
  await retryOnConflict<PushSubscriptions, void>(seen, retries, (present) =>
    tryChange(table, present, changed),
  );
}

/** Without another condition, a change that changes nothing is not written. */
async function tryChange(
  table: Table,
  { userId, subscriptions, version }: PushSubscriptions,
  { also, to }: Changed,
): Promise<Attempt<PushSubscriptions, void>> {
  const next = to(subscriptions);
  if (also.length === 0 && next.length === subscriptions.length) return { result: undefined };
  const row = pushRow({ userId, subscriptions: [...next], version: version + 1 });
  const when = version === 0 ? { exists: false } : { equals: { version } };
  const outcome = await transact(table, [{ put: row, when }, ...also]);
  if (outcome.committed) return { result: undefined };
  const [own, ...checks] = outcome.refusals;
  if (checks.some(({ failed }) => failed)) throw sessionEnded();
  return { met: subscriptionsIn(own?.item, userId) };
}

function isPoint(p256dh: string): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return false;
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  try {
    pair.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}
