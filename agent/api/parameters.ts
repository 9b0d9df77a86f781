import * as z from 'zod/mini';
import { CallerId } from '../../protocol/agent-sessions.js';
import { Ulid } from '../../protocol/ids.js';
import { InteractionId } from '../../protocol/interactions.js';

/** Parameters of paths, by name. */
export const pathParameters = {
  workspaceId: Ulid,
  sessionId: CallerId,
  deliveryId: CallerId,
  operationId: CallerId,
  interactionId: InteractionId,
  port: z.coerce.number().check(z.int(), z.gte(1), z.lte(65_535)),
} as const;

/** Whether a path is short, has no NUL and no `..`; where it leads is checked in the workspace. */
export function isPlainPath(path: string): boolean {
  return path !== '' && path.length <= 4_096 && !path.includes('\0') && !path.split('/').includes('..');
}

export const Path = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(4_096),
    z.refine(isPlainPath, 'A path without NUL and "..", of 1 to 4096 characters'),
  );
export const Flag = z._default(z.stringbool(), false);
/** Git reads it neither as an option nor as a range of two revisions. */
export const Revision = z.string().check(
  z.maxLength(250),
  z.regex(/^[A-Za-z0-9_][\w./~^@+-]*$/, 'A branch, tag or commit'),
  z.refine((text) => !text.includes('..'), 'One revision, not two'),
);
export const WorktreeQuery = z.object({ worktree: z.optional(Path) });
