import * as z from 'zod/mini';
import { createSubscription } from '../../event-subscriptions/create-subscription.js';
import { EventFilter } from '../../event-subscriptions/event-filter.js';
import { maxReasonBytes, SubscriptionKey } from '../../event-subscriptions/event-subscription.js';
import { newAgentSubscription } from '../../event-subscriptions/new-subscription.js';
import { requestedDeliveries } from '../../event-subscriptions/resolve-delivery.js';
import { ownSubscriptionView } from '../../event-subscriptions/subscription-view.js';
import { wakeInstructions } from '../../event-subscriptions/wake-instructions.js';
import { bytesUpTo, idOf } from '../arguments.js';
import { eventOwner } from '../event-owner.js';
import { tool } from '../tool.js';

export const createProjectEventSubscription = tool({
  name: 'create_project_event_subscription',
  description:
    'Subscribe to events of the project, such as ended tasks and sessions. The filter selects by exact values; read the events with list_subscription_events and acknowledge each with ack_event_delivery. A subscription belongs to your session and ends with your token or after 24 hours at the latest. resolvedDelivery queued_for_prompt_delivery: you get a prompt when events match, see wakeInstructions. Any other: the events are only recorded. Limit: 200 active subscriptions of a project (EVENT_CAPACITY). Repeating the call with the same idempotencyKey and arguments returns the same subscription; other arguments fail with IDEMPOTENCY_KEY_REUSED. Example: {"idempotencyKey": "failed-tasks", "filter": {"version": 1, "eventType": ["task.failed", "task.cancelled"]}, "requestedDelivery": "record_only"}.',
  policy: {
    equals: 'none',
    reason: 'Subscribes the session of the caller; people have no subscriptions that they create',
    capability: 'task:write',
  },
  needsTask: true,
  hasOwner: true,
  args: z.strictObject({
    idempotencyKey: SubscriptionKey.check(
      z.describe(
        'Identifies the subscription in your session. Choose 1 to 128 letters, digits and ._:- that begin with a letter or digit.',
      ),
    ),
    filter: EventFilter.check(
      z.describe(
        'version 1 and at least one of source, eventType, subjectType, subjectId, severity, each an exact value or a set of up to 20. An event must have a value of each field that you give. No wildcards.',
      ),
    ),
    requestedDelivery: z._default(
      z
        .enum(requestedDeliveries)
        .check(
          z.describe(
            'record_only (default): only recorded. existing_session_prompt: a prompt in your session. runtime_interrupt: the same, and it may interrupt your turn.',
          ),
        ),
      'record_only',
    ),
    target: z.optional(
      z
        .strictObject({
          sessionId: z.optional(idOf('Your own session.')),
          taskId: z.optional(idOf('Your own task.')),
          agentId: z.optional(idOf('Your own agent session.')),
        })
        .check(z.describe('Default: your own session and task. No other one can be woken.')),
    ),
    reason: z.optional(bytesUpTo(maxReasonBytes, 'Why you subscribe, for people.')),
    expiresAt: z.optional(
      z
        .int()
        .check(z.describe('End, in epoch milliseconds. Default, and the latest: the end of your token.')),
    ),
  }),
  handle: async (asked, { caller, table, now, isEventWakeEnabled: isWakeEnabled }) => {
    const { target = {}, reason = null, expiresAt = null, ...request } = asked;
    const draft = newAgentSubscription(
      eventOwner(caller, now),
      { ...request, target, reason, expiresAt },
      { isWakeEnabled, now },
    );
    const { subscription, idempotent, changed } = await createSubscription(table, draft, now);
    return {
      subscription: ownSubscriptionView(subscription, now),
      ...{ idempotent, changed, callerKind: 'agent' },
      ...wakeInstructions(subscription),
    };
  },
});
