import * as z from 'zod/mini';
import { Ulid } from './ids.js';

export const evictionReasons = ['memory_pressure', 'oom_kill'] as const;
export type EvictionReason = (typeof evictionReasons)[number];

const Bytes = z.int().check(z.gte(0));

/** What used the memory, for people. */
export const EvictionCause = z.strictObject({
  /** What the node was short of; absent: memory. The reason is `memory_pressure` for both. */
  shortOf: z.optional(z.literal('disk')),
  /** Of the container. */
  usedBytes: Bytes,
  limitBytes: z.optional(Bytes),
  /** Its largest process, by the name of its program; no arguments. */
  largestProcess: z.optional(
    z.strictObject({ name: z.string().check(z.regex(/^[\w.+-]{1,32}$/)), bytes: Bytes }),
  ),
});
export type EvictionCause = z.infer<typeof EvictionCause>;

/** In `prepare` of a snapshot: the node captures the workspace to evict it. */
export const EvictionCapture = z.strictObject({
  reason: z.enum(evictionReasons),
  evictionGeneration: z.optional(Ulid),
});
export type EvictionCapture = z.infer<typeof EvictionCapture>;

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
  /** A turn, a queued prompt or background work of a harness had not ended when it was stopped. */
  workInFlight: z.optional(z.boolean()),
  cause: z.optional(EvictionCause),
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
export const EvictionGenerations = z.strictObject({
  /** The generation that begins. */
  evictionGeneration: z.optional(Ulid),
  /** The generation that ends; null or empty when there was none. */
  expectedEvictionGeneration: z.optional(z.nullable(z.union([Ulid, z.literal('')]))),
});
export type EvictionGenerations = z.infer<typeof EvictionGenerations>;

/** Whether the generations of a body are both there, and differ, or none is. */
export function hasBothGenerations(body: EvictionGenerations): boolean {
  const { evictionGeneration: next, expectedEvictionGeneration: expected } = body;
  if (next === undefined) return !expected;
  return expected !== undefined && expected !== next;
}
