import * as z from 'zod/mini';
import { InboxEntry, maxInboxCount } from '../../../protocol/live.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';

export const list = contract({
  summary: 'List your inbox',
  description:
    'Return what waits for you in all your projects, newest first: requests and questions of agents, messages that were not delivered, workspaces that cannot sleep, evicted workspaces that nothing restores, and tasks that have ended. `link` is a path of the console. `count` is the number of all items, at most 100, which means 100 or more; only the first page has it. The topic `user:<your id>` of the live socket sends each change.',
  query: z.strictObject(pageQuery),
  responses: {
    200: z.object({
      items: z.array(InboxEntry),
      count: z.nullable(z.int().check(z.gte(0), z.lte(maxInboxCount))),
      nextCursor,
    }),
  },
});

const ItemId = z
  .string()
  .check(
    z.regex(
      /^(?:interaction\.[0-9A-Fa-f-]{36}|(?:question|message|sleep|task|eviction)\.[0-9A-HJKMNP-TV-Z]{26})$/,
      'Must be the id of an item',
    ),
  );

export const dismiss = contract({
  summary: 'Dismiss an item of your inbox',
  description:
    'Take an item out of your inbox. A repeat succeeds. A request or question of an agent still waits in its chat session.',
  params: z.object({ itemId: ItemId }),
  responses: { 200: z.object({ success: z.literal(true) }) },
});

const SubscriptionId = z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/, 'Must be the id of a subscription'));

const PushSubscription = z.object({
  id: SubscriptionId,
  /** Of the push service. */
  host: z.string(),
  isThisSession: z.boolean(),
  createdAt: z.iso.datetime(),
});

export const listPush = contract({
  summary: 'List your push subscriptions',
  description:
    'Return the browsers that get a push message for each new item of your inbox, and `applicationServerKey`, the public key (VAPID) that a browser subscribes with. An endpoint is a secret of its browser: only its host is returned.',
  responses: { 200: z.object({ applicationServerKey: z.string(), items: z.array(PushSubscription) }) },
});

const base64url = (message: string, characters: number) =>
  z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${characters}}={0,2}$`), message));

export const subscribePush = contract({
  summary: 'Subscribe a browser to push messages',
  description:
    'Store the `PushSubscription` of a browser. Each new item of your inbox is sent to it, encrypted: its title, kind and link, without content. The subscription ends with the sign-in session of this request. A repeat of a browser replaces its subscription. At most 10.',
  body: z.object({
    endpoint: z.url().check(z.maxLength(1_024)),
    expirationTime: z.optional(z.nullable(z.number())),
    keys: z.object({
      p256dh: base64url('Must be a point of the curve P-256 in base64url', 87),
      auth: base64url('Must be 16 bytes in base64url', 22),
    }),
  }),
  responses: { 200: PushSubscription },
  errors: ['invalid', 'conflict'],
});

export const unsubscribePush = contract({
  summary: 'Delete a push subscription',
  description: 'Send nothing to this browser any more. A repeat succeeds.',
  params: z.object({ pushSubscriptionId: SubscriptionId }),
  responses: { 200: z.object({ success: z.literal(true) }) },
});
