import type { BerthClient } from '../../../client/berth-client.js';
import { within } from '../within.js';

/** A browser that cannot reach its push service goes on trying, without an end. */
const subscribeWithinMs = 20_000;

/** Built from `push-worker.ts`; at the root, so that its scope is the whole console. */
const workerPath = '/push-worker.js';

export const canPush = (): boolean =>
  'Notification' in globalThis && 'PushManager' in globalThis && 'serviceWorker' in navigator;

async function presentSubscription(): Promise<PushSubscription | undefined> {
  if (!canPush()) return undefined;
  const registration = await navigator.serviceWorker.getRegistration(workerPath);
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

/** Whether this browser gets push messages for the person. */
export async function isPushing(client: BerthClient): Promise<boolean> {
  if (!(await presentSubscription())) return false;
  const { items } = await client.call('GET /api/push-subscriptions');
  return items.some(({ isThisSession }) => isThisSession);
}

/** @throws {Error} the browser or the API refuses it */
export async function startPush(client: BerthClient): Promise<void> {
  await navigator.serviceWorker.register(workerPath);
  const { pushManager } = await navigator.serviceWorker.ready;
  const { applicationServerKey } = await client.call('GET /api/push-subscriptions');
  // One of another account or key cannot be taken over.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscribing = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const made = await within(subscribeWithinMs, subscribing);
  const { endpoint = '', keys } = made.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await client.call('POST /api/push-subscriptions', { body: { endpoint, keys: { p256dh, auth } } });
}

/** The API forgets it too, or with the sign-in session at the latest. */
export async function stopPush(client: BerthClient): Promise<void> {
  await endPush();
  const { items } = await client.call('GET /api/push-subscriptions');
  for (const { id: pushSubscriptionId } of items.filter(({ isThisSession }) => isThisSession))
    await client.call('DELETE /api/push-subscriptions/{pushSubscriptionId}', {
      params: { pushSubscriptionId },
    });
}

/** Of this browser alone, after a sign-out. */
export async function endPush(): Promise<void> {
  await (await presentSubscription())?.unsubscribe();
}
