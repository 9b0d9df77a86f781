import * as z from 'zod/mini';
import type { NodeEventList } from '../../../protocol/node-api.js';
import type { EventStore } from '../store/event-store.js';

/** Query of a list of events. */
export const EventPageQuery = z.object({
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(500)), 100),
  cursor: z.optional(z.string().check(z.regex(/^[0-9]{1,15}$/))),
});

/** One page of events, of one workspace or of the node. */
export function eventPage(
  events: EventStore,
  query: z.infer<typeof EventPageQuery>,
  workspaceId: string | null,
): NodeEventList {
  const before = query.cursor === undefined ? null : Number(query.cursor);
  const page = events.list({ workspaceId, limit: query.limit, before });
  return { events: page.events, nextCursor: page.next === null ? null : String(page.next) };
}
