import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { maxReasonBytes, subscriptionStates } from '../../domain/event-subscriptions/event-subscription.js';
import { contract } from '../../edge/contract.js';
import { EventDelivery, Subscription } from './subscription-schemas.js';

const one = z.object({ projectId: Ulid, subscriptionId: Ulid });
const limit = z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50);
const hasMore = z.boolean();

export const list = contract({
  summary: 'List the event subscriptions of a project',
  description:
    'Return the newest subscriptions first, active ones before ended ones. `state` is `active` by default; `any` returns all. `sessionId` returns those that the session owns or is the target of. A subscription past `expiresAt` is `expired`. Times are epoch milliseconds. Ended subscriptions are kept for 30 days after `expiresAt`.',
  params: z.object({ projectId: Ulid }),
  query: z.strictObject({
    sessionId: z.optional(Ulid),
    state: z._default(z.enum([...subscriptionStates, 'any']), 'active'),
    limit,
  }),
  responses: { 200: z.object({ subscriptions: z.array(Subscription), hasMore }) },
});

export const get = contract({
  summary: 'Get an event subscription',
  description:
    'Return its owner, filter, target, requested and resolved delivery, state and cancellation. Times are epoch milliseconds.',
  params: one,
  query: z.strictObject({}),
  responses: { 200: z.object({ subscription: Subscription }) },
});

export const deliveries = contract({
  summary: 'List the deliveries of an event subscription',
  description:
    'Return the newest transport outcomes first: prompts (`prompt_queue`), and events that the owner reads itself (`pull`). `deliveredAt` of a pull is the time of its acknowledgement. Times are epoch milliseconds.',
  params: one,
  query: z.strictObject({ limit }),
  responses: { 200: z.object({ deliveries: z.array(EventDelivery), hasMore }) },
});

export const cancel = contract({
  summary: 'Cancel an event subscription',
  description:
    'Cancel a subscription of a person or an agent. Work that its agent has done stays. A repeat, or the cancellation of an expired subscription, changes nothing and returns `idempotent` true. Subscriptions of services and policies are 403.',
  params: one,
  query: z.strictObject({}),
  body: z.strictObject({
    reason: z.optional(
      z.string().check(
        z.trim(),
        z.minLength(1),
        z.refine(
          (text: string) => Buffer.byteLength(text) <= maxReasonBytes,
          `Can have at most ${maxReasonBytes} bytes`,
        ),
      ),
    ),
  }),
  responses: {
    200: z.object({ subscription: Subscription, idempotent: z.boolean(), changed: z.boolean() }),
  },
  errors: ['EVENT_SUBSCRIPTION_NOT_CANCELLABLE'],
});
