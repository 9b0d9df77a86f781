import * as z from 'zod/mini';
import type { EvictionReason } from '../../../protocol/eviction.js';
import { Ulid } from '../../../protocol/ids.js';

/** Named again, because every function that reads a workspace would load the protocol with them. */
const reasons = ['memory_pressure', 'oom_kill'] as const satisfies readonly EvictionReason[];

/** Its node evicted it, and it has not been restored since. */
export const Eviction = z.object({
  /** The generations that ended. */
  generation: z.int(),
  evictionGeneration: z.optional(Ulid),
  /** It is not placed there again before it is restored. */
  nodeId: Ulid,
  reason: z.enum(reasons),
  at: z.iso.datetime(),
  /** Its memory was raised for it. */
  isRaised: z.optional(z.literal(true)),
});
export type Eviction = z.infer<typeof Eviction>;

/** The last eviction generation that was sent to a node. */
export const SentEviction = z.object({
  nodeId: Ulid,
  evictionGeneration: Ulid,
  /** What that node may have had before, the likeliest first. */
  before: z.array(z.nullable(Ulid)),
});
export type SentEviction = z.infer<typeof SentEviction>;

/** The chats whose interrupted work gets a message that continues it, until each has it. */
export const Recovery = z.object({
  /** Names the eviction. */
  of: z.string(),
  chatIds: z.array(Ulid),
});
export type Recovery = z.infer<typeof Recovery>;
