import * as z from 'zod/mini';
import { findOwnSubscription } from '../../event-subscriptions/find-subscription.js';
import { ownSubscriptionView } from '../../event-subscriptions/subscription-view.js';
import { isRequired, subscriptionId } from '../arguments.js';
import { ownedByCaller } from '../event-owner.js';
import { orMissing } from '../or-missing.js';
import { tool } from '../tool.js';

export const getProjectEventSubscription = tool({
  name: 'get_project_event_subscription',
  description:
    'Return one event subscription of your session with its present state. subscription is null when your session has none with this id; with required true, that fails with NOT_FOUND. Changes nothing.',
  policy: { equals: ['eventSubscription.read'] },
  needsTask: true,
  hasOwner: true,
  isReadOnly: true,
  args: z.strictObject({ subscriptionId, required: isRequired }),
  handle: async ({ subscriptionId: id, required }, { caller, table, now }) => {
    const found = await orMissing(required, findOwnSubscription(table, ownedByCaller(caller), id));
    return { subscription: found && ownSubscriptionView(found, now), required };
  },
});
