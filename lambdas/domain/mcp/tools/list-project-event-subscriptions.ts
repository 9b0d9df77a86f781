import * as z from 'zod/mini';
import { subscriptionStates } from '../../event-subscriptions/event-subscription.js';
import { listSubscriptions } from '../../event-subscriptions/find-subscription.js';
import { ownSubscriptionView } from '../../event-subscriptions/subscription-view.js';
import { limitOf } from '../arguments.js';
import { ownedByCaller } from '../event-owner.js';
import { tool } from '../tool.js';

export const listProjectEventSubscriptions = tool({
  name: 'list_project_event_subscriptions',
  description:
    'List the event subscriptions of your session, newest first, to recover their ids after a restart. Returns subscriptions, hasMore and ownerScope. Subscriptions of other sessions are not included. Changes nothing.',
  policy: { equals: ['eventSubscription.read'] },
  needsTask: true,
  hasOwner: true,
  isReadOnly: true,
  args: z.strictObject({
    state: z._default(
      z.enum([...subscriptionStates, 'any']).check(z.describe('Default: active. any: all.')),
      'active',
    ),
    limit: limitOf(200, 50),
  }),
  handle: async (query, { caller, table, now }) => {
    const page = await listSubscriptions(table, { ...query, ...ownedByCaller(caller) }, now);
    return {
      subscriptions: page.subscriptions.map((each) => ownSubscriptionView(each, now)),
      hasMore: page.hasMore,
      ownerScope: 'caller',
    };
  },
});
