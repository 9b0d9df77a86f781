import * as z from 'zod/mini';
import { cancelSubscription } from '../../event-subscriptions/end-subscription.js';
import { maxReasonBytes } from '../../event-subscriptions/event-subscription.js';
import { findOwnSubscription } from '../../event-subscriptions/find-subscription.js';
import { ownSubscriptionView } from '../../event-subscriptions/subscription-view.js';
import { bytesUpTo, isRequired, subscriptionId } from '../arguments.js';
import { ownedByCaller } from '../event-owner.js';
import { orMissing } from '../or-missing.js';
import { tool } from '../tool.js';

export const cancelProjectEventSubscription = tool({
  name: 'cancel_project_event_subscription',
  description:
    'Cancel an event subscription of your session when you need no further events. Its recorded events stay readable. Returns subscription, idempotent and changed. Repeating the call, or cancelling an expired subscription, changes nothing and returns idempotent true. subscription is null when your session has none with this id; with required true, that fails.',
  policy: {
    equals: 'none',
    reason: 'Cancels a subscription of the session of the caller only; the route is for those of others too',
    capability: 'task:write',
  },
  needsTask: true,
  hasOwner: true,
  args: z.strictObject({
    subscriptionId,
    reason: bytesUpTo(maxReasonBytes, 'Why you cancel it, for people.'),
    required: isRequired,
  }),
  handle: async ({ subscriptionId: id, reason, required }, { caller, table, now }) => {
    const found = await orMissing(required, findOwnSubscription(table, ownedByCaller(caller), id));
    if (!found) return { subscription: null, idempotent: false, changed: false, required };
    const { owner: by } = found;
    const { subscription, ...outcome } = await cancelSubscription(table, found, { by, reason, now });
    return { subscription: ownSubscriptionView(subscription, now), ...outcome, required };
  },
});
