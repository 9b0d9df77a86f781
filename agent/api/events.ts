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
