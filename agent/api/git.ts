import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../protocol/workspace-files.js';
import { WorktreeQuery } from '../src/http/file-routes.js';
import { DiffQuery, NewWorktree, RemoveQuery, RevisionQuery } from '../src/http/git-routes.js';
import type { AgentContracts } from './contract.js';

const Branch = z.strictObject({
  name: z.string(),
  isCurrent: z.boolean(),
  isLocal: z.boolean(),
  isRemote: z.boolean(),
});
const Worktree = z.strictObject({
  path: z.string(),
  branch: z.nullable(z.string()),
  headCommit: z.string(),
  isPrunable: z.boolean(),
  isPrimary: z.boolean(),
  isDirty: z.boolean(),
  dirtyFileCount: z.int(),
});

export const gitContracts = {
  gitStatus: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/status',
    token: 'workspace',
    summary: 'Staged, unstaged and untracked files',
    query: WorktreeQuery,
    answers: { 200: GitStatus },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  gitDiff: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/diff',
    token: 'workspace',
    summary: 'Differences: unstaged, staged, or against a base; of all or of one file',
    query: z.extend(WorktreeQuery, DiffQuery.shape),
    answers: { 200: GitDiff },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  gitFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/file',
    token: 'workspace',
    summary: 'A file as it is at a revision',
    query: z.extend(WorktreeQuery, RevisionQuery.shape),
    answers: {
      200: z.strictObject({
        filePath: z.string(),
        ref: z.string(),
        encoding: z.enum(['utf-8', 'base64']),
        content: z.string(),
      }),
    },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  gitBranches: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/branches',
    token: 'workspace',
    summary: 'Branches here and at the remote',
    query: WorktreeQuery,
    answers: { 200: z.strictObject({ branches: z.array(Branch), truncated: z.boolean() }) },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  listWorktrees: {
    method: 'get',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    summary: 'Working trees of the repository',
    answers: { 200: z.strictObject({ worktrees: z.array(Worktree) }) },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  createWorktree: {
    method: 'post',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    summary: 'Check a branch out beside the repository',
    body: NewWorktree,
    answers: { 201: Worktree },
    errors: ['not_found', 'invalid_transition', 'worktree_conflict', 'worktree_limit', 'timed_out'],
  },
  removeWorktree: {
    method: 'delete',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    summary: 'Remove a working tree; with changes in it only by force',
    query: RemoveQuery,
    answers: { 200: z.strictObject({ removed: z.string() }) },
    errors: ['not_found', 'invalid_transition', 'worktree_conflict', 'worktree_dirty', 'timed_out'],
  },
} satisfies AgentContracts;
