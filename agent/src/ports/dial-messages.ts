import * as z from 'zod/mini';

/** What the agent and its helper in a workspace's network say to each other. */
export const DialOrder = z.object({
  id: z.int(),
  addresses: z.readonly(z.array(z.string())),
  port: z.int(),
  timeoutMs: z.number(),
});
export type DialOrder = z.infer<typeof DialOrder>;

/** First the network that the helper is in; then an answer an order, with the socket when it has one. */
export const DialAnswer = z.union([
  z.object({ network: z.string() }),
  z.object({ id: z.int(), error: z.nullable(z.enum(['bad_gateway', 'timed_out'])) }),
]);
export type DialAnswer = z.infer<typeof DialAnswer>;
