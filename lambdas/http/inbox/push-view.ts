import type { PushSubscription } from '../../domain/push/push-subscription.js';

/** Without the endpoint, which is a secret of the browser. */
export const pushView = (
  { subscriptionId: id, endpoint, sessionHash, createdAt }: PushSubscription,
  present: string,
) => ({ id, host: new URL(endpoint).hostname, isThisSession: sessionHash === present, createdAt });
