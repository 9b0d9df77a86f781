import * as z from 'zod/mini';
import { acknowledgeDelivery } from '../../event-subscriptions/acknowledge-delivery.js';
import { acknowledgedView } from '../../event-subscriptions/delivery-view.js';
import { idOf } from '../arguments.js';
import { ownedByCaller } from '../event-owner.js';
import { tool } from '../tool.js';

export const ackEventDelivery = tool({
  name: 'ack_event_delivery',
  description:
    'Acknowledge a delivery after you have processed its events. Pass delivery.id of list_subscription_events, or the id in a wake prompt. Returns acknowledged, idempotent and delivery. Repeating the call changes nothing and returns idempotent true. A delivery that was cancelled, expired or failed is refused with EVENT_DELIVERY_NOT_ACKNOWLEDGEABLE.',
  policy: {
    equals: 'none',
    reason: 'Acknowledges what the session of the caller has read; no route does, because agents read',
    capability: 'task:write',
  },
  needsTask: true,
  args: z.strictObject({ deliveryId: idOf('Id of the delivery.') }),
  handle: async ({ deliveryId }, { caller, table, now }) => {
    const { ownerId } = ownedByCaller(caller);
    const { idempotent, delivery } = await acknowledgeDelivery(table, { ownerId, deliveryId, now });
    return { acknowledged: true, idempotent, delivery: acknowledgedView(delivery) };
  },
});
