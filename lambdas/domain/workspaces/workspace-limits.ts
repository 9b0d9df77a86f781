import * as z from 'zod/mini';
import { readEnv } from '../../shared/env.js';
import { Conflict } from '../../shared/errors.js';
import type { Change } from '../records/changes.js';

const { MAX_WORKSPACES_PER_USER: maxWorkspaces } = readEnv({
  MAX_WORKSPACES_PER_USER: z._default(z.coerce.number(), 500),
});

const countChange = (userId: string): Pick<Change, 'key' | 'set'> => ({
  key: { pk: `USER#${userId}`, sk: 'WORKSPACECOUNT' },
  set: { entity: 'workspace-count', schemaVersion: 1 },
});

/** Counts a workspace of a person, running or not, within the limit. */
export const countWorkspace = (userId: string): Change => ({
  ...countChange(userId),
  add: { workspaceCount: 1 },
  when: { absentOrBefore: { workspaceCount: maxWorkspaces } },
});

/** In the transaction that ends the deletion, which happens once. */
export const uncountWorkspace = (userId: string): Change => ({
  ...countChange(userId),
  add: { workspaceCount: -1 },
  when: {},
});

export const workspaceLimitReached = () =>
  new Conflict(
    `You have ${maxWorkspaces} workspaces, with those that are stopped (limit ${maxWorkspaces}). Delete one first.`,
    { code: 'WORKSPACE_LIMIT_REACHED' },
  );
