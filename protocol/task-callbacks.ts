import * as z from 'zod/mini';

/** What the agent pushed at the end of a turn. */
export const GitPushResult = z.object({
  pushed: z.boolean(),
  commitSha: z.optional(z.string().check(z.regex(/^[0-9a-f]{7,64}$/))),
  branch: z.optional(z.string().check(z.maxLength(255))),
});

// POST /api/projects/{projectId}/tasks/{taskId}/status/callback
/** The fields that the node agent sends. */
export interface TaskStatusReport {
  readonly outputBranch?: string;
  readonly outputPrUrl?: string;
  readonly gitPushResult?: z.infer<typeof GitPushResult>;
}

/** The fields of the task that the node agent reads. */
export const TaskAfterReport = z.object({
  title: z.string(),
  outputSummary: z.nullish(z.string()),
  outputPrUrl: z.nullable(z.string()),
  /** Absent or null: the task asks for none. */
  openPullRequest: z.nullish(z.boolean()),
});
export type TaskAfterReport = z.infer<typeof TaskAfterReport>;
