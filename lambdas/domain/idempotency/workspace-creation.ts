import * as z from 'zod/mini';
import type { Workspace } from '../workspaces/workspace.js';
import { keyExpiry, type RequestKey } from './request-key.js';

/** The workspace that a request with an Idempotency-Key created. */
export const WorkspaceCreation = z.object({ requestHash: z.string(), workspaceId: z.string() });
export type WorkspaceCreation = z.infer<typeof WorkspaceCreation>;

export const creationItemKey = (userId: string, key: string) => ({
  pk: `USER#${userId}`,
  sk: `WORKSPACECREATION#${key}`,
});

export const creationItem = ({ key, requestHash }: RequestKey, workspace: Workspace) => ({
  ...creationItemKey(workspace.userId, key),
  entity: 'workspace-creation',
  schemaVersion: 1,
  requestHash,
  workspaceId: workspace.workspaceId,
  expiresAt: keyExpiry(workspace.createdAt),
});
