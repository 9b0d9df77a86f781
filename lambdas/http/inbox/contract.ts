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
