import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Workspace } from './workspace.js';

/** How long a repeat with the same Idempotency-Key is recognised. */
const rememberedSeconds = 24 * 60 * 60;

/** The caller's Idempotency-Key, and a hash of what they asked with it. */
export interface CreationKey {
  readonly key: string;
  readonly requestHash: string;
}

export const Creation = z.object({ requestHash: z.string(), workspaceId: z.string() });

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const creationKeyOf = (key: string, request: unknown): CreationKey => ({
  key: hash(key),
  requestHash: hash(JSON.stringify(request)),
});

export const creationItem = ({ key, requestHash }: CreationKey, workspace: Workspace) => ({
  pk: `USER#${workspace.userId}`,
  sk: `CREATION#${key}`,
  entity: 'workspace-creation',
  schemaVersion: 1,
  requestHash,
  workspaceId: workspace.workspaceId,
  expiresAt: Math.floor(Date.parse(workspace.createdAt) / 1000) + rememberedSeconds,
});
