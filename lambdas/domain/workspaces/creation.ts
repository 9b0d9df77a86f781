import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { InvalidRequest } from '../../shared/errors.js';
import type { Workspace } from './workspace.js';

/** How long a repeat with the same Idempotency-Key is recognised. */
const rememberedSeconds = 24 * 60 * 60;

/** The caller's Idempotency-Key, and a hash of what they asked with it. */
export interface CreationKey {
  readonly key: string;
  readonly requestHash: string;
}

export const Creation = z.object({ requestHash: z.string(), workspaceId: z.string() });
export type Creation = z.infer<typeof Creation>;

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The key of a request, if its caller gave one.
 *
 * @throws {InvalidRequest} it is no printable text of at most 255 characters
 */
export function creationKeyFrom(header: string | undefined, request: unknown): CreationKey | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new InvalidRequest('The request is invalid', [
      { field: 'header.idempotency-key', message: 'Must be at most 255 printable ASCII characters' },
    ]);
  }
  return { key: hash(header), requestHash: hash(JSON.stringify(request)) };
}

export const creationItemKey = (userId: string, key: string) => ({
  pk: `USER#${userId}`,
  sk: `WORKSPACECREATION#${key}`,
});

export const creationItem = ({ key, requestHash }: CreationKey, workspace: Workspace) => ({
  ...creationItemKey(workspace.userId, key),
  entity: 'workspace-creation',
  schemaVersion: 1,
  requestHash,
  workspaceId: workspace.workspaceId,
  expiresAt: Math.floor(Date.parse(workspace.createdAt) / 1000) + rememberedSeconds,
});
