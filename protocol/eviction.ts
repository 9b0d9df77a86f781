import * as z from 'zod/mini';
import { Ulid } from './ids.js';

export const evictionReasons = ['memory_pressure', 'oom_kill'] as const;
export type EvictionReason = (typeof evictionReasons)[number];

/**
 * Body of `POST /api/projects/:projectId/workspaces/:workspaceId/eviction`. The agent repeats it
 * until the answer is 2xx, 404 or 410.
 */
export const EvictionReport = z.strictObject({
  nodeId: Ulid,
  workspaceId: Ulid,
  reason: z.enum(evictionReasons),
  snapshotCaptured: z.boolean(),
  containerStopped: z.boolean(),
  /** Absent for a container that was created before evictions had generations. */
  evictionGeneration: z.optional(Ulid),
});
export type EvictionReport = z.infer<typeof EvictionReport>;

/** Whether an answer to the report ends its delivery. */
export function endsEvictionDelivery(status: number): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 410;
}

/**
 * Generations in the body of a restart or rebuild. Only a workspace that never had a generation
 * and is not evicted accepts a body with neither.
 */
export const EvictionGenerations = z
  .strictObject({
    /** The generation that begins. */
    evictionGeneration: z.optional(Ulid),
    /** The generation that ends; null or empty when there was none. */
    expectedEvictionGeneration: z.optional(z.nullable(z.union([Ulid, z.literal('')]))),
  })
  .check(
    z.refine((body) => {
      const next = body.evictionGeneration;
      const expected = body.expectedEvictionGeneration;
      if (next === undefined) return !expected;
      return expected !== undefined && expected !== next;
    }),
  );
export type EvictionGenerations = z.infer<typeof EvictionGenerations>;
