import * as z from 'zod/mini';

export const endingKinds = [
  /** Its node was short of memory. */
  'evicted_memory',
  /** It used all the memory that it may use. */
  'evicted_oom',
  /** The instance of its node ended. */
  'node_lost',
  /** It could not be made or restarted. */
  'errored',
  'stopped_by_person',
  /** Nobody used it. */
  'idle',
  /** The execution of its task ended. */
  'task_ended',
  /** Its owner left the project. */
  'membership_ended',
] as const;

/** Why something does not run any more, in words and numbers. */
export const EndedBecause = z.object({
  kind: z.enum(endingKinds),
  /** A sentence for a person. */
  text: z.string(),
  at: z.iso.datetime(),
  /** Of an eviction: what the container used, and may use. */
  usedBytes: z.optional(z.int()),
  limitBytes: z.optional(z.int()),
  largestProcess: z.optional(z.object({ name: z.string(), bytes: z.int() })),
});
export type EndedBecause = z.infer<typeof EndedBecause>;
