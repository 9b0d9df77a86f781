import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { InboxItem, inboxKey } from '../inbox/inbox-item.js';
import { inboxView } from '../inbox/inbox-view.js';
import { getItems } from '../records/batch-items.js';
import { liveSession } from '../sessions/find-session.js';
import { sessionKey } from '../sessions/session.js';
import { userKey } from '../users/user.js';
import { removeSubscriptions, subscriptionsIn } from './change-subscriptions.js';
import { enqueueRetry, type PushQueue, type PushWork } from './push-queue.js';
import { type PushMessage, type PushSender, sendPush } from './push-service.js';
import { type PushSubscription, pushKey } from './push-subscription.js';

/** Seconds before each further attempt. */
const delays = [30, 120, 600] as const;

interface PushDeps {
  readonly table: Table;
  readonly queue: PushQueue;
  readonly sender: PushSender;
  readonly log: Log;
}

/**
 * Sends an item to the browsers of its person, unless it has ended. Those that fail are tried again
 * up to three times; those that are gone, or whose session has ended, are removed. A repeat
 * replaces the notification. One table call without a browser, else two, and two more to remove.
 */
export async function pushItem(deps: PushDeps, work: PushWork): Promise<void> {
  const { table, log } = deps;
  const { userId, itemId, createdAt, subscriptionIds } = work;
  const keys = [inboxKey(userId, itemId), pushKey(userId)] as const;
  const find = await getItems(table, keys);
  const row = find(keys[0]);
  if (row?.createdAt !== createdAt) return;
  const { subscriptions } = subscriptionsIn(find(keys[1]), userId);
  const wanted = subscriptions.filter(
    ({ subscriptionId }) => subscriptionIds?.includes(subscriptionId) ?? true,
  );
  if (wanted.length === 0) return;
  const message = messageOf(InboxItem.parse(row));
  const isLive = await liveSessions(deps, userId, wanted);
  const outcomes = await Promise.all(
    wanted.map(async (one) => ({
      ...one,
      outcome: isLive(one) ? await sendPush(one, message, deps.sender) : 'gone',
    })),
  );
  const withOutcome = (outcome: string) => outcomes.filter((one) => one.outcome === outcome);
  const idsOf = (outcome: string) => withOutcome(outcome).map(({ subscriptionId }) => subscriptionId);
  const [gone, failed, refused] = [withOutcome('gone'), idsOf('failed'), idsOf('refused')];
  // A browser that has subscribed again since stays.
  const isGone = ({ subscriptionId, createdAt: at }: PushSubscription) =>
    gone.some((one) => one.subscriptionId === subscriptionId && one.createdAt === at);
  if (gone.length > 0) await removeSubscriptions(table, userId, isGone);
  if (refused.length > 0) log.warn('Push message refused', { userId, subscriptionIds: refused });
  await tryAgain(deps, work, failed);
}

/**
 * DynamoDB's TTL deletes an expired session up to days late, and the browser may be another
 * person's by then. One table call.
 */
async function liveSessions(
  { table, sender }: PushDeps,
  userId: string,
  subscriptions: readonly PushSubscription[],
): Promise<(one: PushSubscription) => boolean> {
  const user = userKey(userId);
  const find = await getItems(table, [user, ...subscriptions.map((one) => sessionKey(one.sessionHash))]);
  return ({ sessionHash }) =>
    liveSession(find, { userId, keys: [sessionKey(sessionHash), user] }, sender.now) !== undefined;
}

async function tryAgain({ queue, log }: PushDeps, work: PushWork, failed: readonly string[]): Promise<void> {
  if (failed.length === 0) return;
  const delay = delays[work.attempt - 1];
  if (delay === undefined) {
    log.warn('Push message given up', { userId: work.userId, subscriptionIds: failed });
    return;
  }
  await enqueueRetry(queue, { ...work, subscriptionIds: [...failed], attempt: work.attempt + 1 }, delay);
}

/** Kind, title and link of an item. It has no text of an agent. */
function messageOf(item: InboxItem): PushMessage {
  const { id, kind, reason, title, link } = inboxView(item);
  return { tag: id, body: { id, kind, reason, title, link } };
}
