import * as z from 'zod/mini';
import type { NodeEventList } from '../../protocol/node-api.js';

const Event = z.strictObject({
  id: z.string(),
  nodeId: z.string(),
  workspaceId: z.nullable(z.string()),
  level: z.enum(['info', 'warn', 'error']),
  type: z.string(),
  message: z.string(),
  detail: z.unknown(),
  createdAt: z.iso.datetime(),
});

/** One page, newest first. */
export const EventList = z.strictObject({
  events: z.array(Event),
  nextCursor: z.nullable(z.string()),
}) satisfies z.ZodMiniType<NodeEventList>;

export const EventPageQuery = z.object({
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(500)), 100),
  cursor: z.optional(z.string().check(z.regex(/^[0-9]{1,15}$/))),
});
export type EventPageQuery = z.infer<typeof EventPageQuery>;
