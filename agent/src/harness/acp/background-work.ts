import * as z from 'zod/mini';
import { claudeLimitsFilter } from './claude-limits.js';

/** Notification with messages of Claude Code's SDK, an extension of its ACP adapter. */
export const sdkMessageMethod = '_claude/sdkMessage';

/** `_meta` of `session/new` and `session/load`. Other messages of the SDK are not requested. */
export const sdkMessagesMeta = {
  claudeCode: {
    emitRawSDKMessages: [{ type: 'system', subtype: 'background_tasks_changed' }, claudeLimitsFilter],
  },
};

export interface BackgroundWorkLimits {
  /** Longer notifications are ignored. */
  readonly maxBytes: number;
  /** Further tasks are not counted. */
  readonly maxTasks: number;
  /** Tasks with a longer id are not counted. */
  readonly maxIdBytes: number;
}

const Message = z.object({
  message: z.object({
    type: z.literal('system'),
    subtype: z.literal('background_tasks_changed'),
    /** Every task that runs after the change. */
    tasks: z.array(z.object({ task_id: z.string().check(z.minLength(1)) })),
  }),
});

/** The number of tasks that run in the background; null for any other notification. */
export function backgroundTasksIn(params: unknown, limits: BackgroundWorkLimits): number | null {
  if (Buffer.byteLength(JSON.stringify(params) ?? '') > limits.maxBytes) return null;
  const { data } = Message.safeParse(params);
  if (!data) return null;
  const ids = data.message.tasks.map(({ task_id }) => task_id);
  const counted = new Set(ids.filter((id) => Buffer.byteLength(id) <= limits.maxIdBytes));
  return Math.min(counted.size, limits.maxTasks);
}
