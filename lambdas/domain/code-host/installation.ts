import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { VisibleInstallations } from './visible-repositories.js';

/** An installation of our application that this user can see. The id is the code host's own. */
export const Installation = z.object({
  userId: Ulid,
  installationId: z.string(),
  accountType: z.enum(['personal', 'organization']),
  accountName: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Installation = z.infer<typeof Installation>;

export const installationPrefix = 'INSTALLATION#';

export const installationKey = (userId: string, installationId: string) => ({
  pk: `USER#${userId}`,
  sk: `${installationPrefix}${installationId}`,
});

/** Ids of recorded installations that the code host no longer shows to this person. */
export function goneInstallations(
  recorded: readonly Installation[],
  { installations, isComplete }: VisibleInstallations,
): readonly string[] {
  // What lies beyond the pages that were read is not gone.
  if (!isComplete) return [];
  const visible = new Set(installations.map(({ installationId }) => installationId));
  return recorded.map(({ installationId }) => installationId).filter((id) => !visible.has(id));
}
