import { subscriptionNotFound } from '../../domain/event-subscriptions/errors.js';
import { EventSubscription, subscriptionKey } from '../../domain/event-subscriptions/event-subscription.js';
import { type ByCapability, recordRoute } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { pathId } from '../../edge/parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

type BySubscription = ByCapability & { readonly subscription: EventSubscription };

/**
 * A route of an event subscription of `{projectId}`, for members with the row's capability. One
 * table call.
 */
export const subscriptionRoute = <C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, BySubscription, Out>,
): HttpHandler =>
  recordRoute(
    contract,
    {
      keys: (event) => [subscriptionKey(pathId(event, 'subscriptionId'))],
      read: (found, { project }) => {
        if (found?.projectId !== project.projectId) throw subscriptionNotFound();
        return { subscription: EventSubscription.parse(found) };
      },
    },
    handle,
  );
