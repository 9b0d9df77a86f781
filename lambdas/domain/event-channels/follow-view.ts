import { subscriptionView } from '../event-subscriptions/subscription-view.js';
import { wakeInstructions } from '../event-subscriptions/wake-instructions.js';
import { isBehind } from './catch-up-record.js';
import type { Following } from './follow-channel.js';

/** A follower as its owner sees it. */
export function followView({ subscription, catchUp, idempotent, changed }: Following, now: Date) {
  const { watermark, caughtUpThrough, endsAt } = catchUp;
  return {
    subscription: subscriptionView(subscription, now),
    ...{ idempotent, changed, watermark, caughtUpThrough },
    hasMore: isBehind(catchUp),
    catchUpExpiresAt: Date.parse(endsAt),
    ...wakeInstructions(subscription),
  };
}
