import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../protocol/workspace-files.js';
import type { AgentContracts } from './contract.js';
import { Flag, Path, Revision, WorktreeQuery } from './parameters.js';

const worktree = WorktreeQuery.shape;
const DiffQuery = z
  .object({ path: z.optional(Path), staged: Flag, base: z.optional(Revision), ...worktree })
  .check(
    z.refine(({ staged, base }) => !(staged && base), {
      path: ['base'],
      message: 'Not together with staged',
    }),
  );
const RevisionQuery = z.object({ path: Path, ref: z._default(Revision, 'HEAD'), ...worktree });
const NewWorktree = z.strictObject({
  branch: Revision,
  createBranch: z._default(z.boolean(), false),
  baseBranch: z._default(z.nullable(Revision), null),
});
const RemoveQuery = z.object({ path: Path, force: Flag });
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
    workspace: 'running',
    summary: 'List staged, unstaged and untracked files',
    query: WorktreeQuery,
    responses: { 200: GitStatus },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  gitDiff: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/diff',
    token: 'workspace',
    workspace: 'running',
    summary: 'Read the diff of all files or of one file: unstaged, staged, or against a base',
    query: DiffQuery,
    responses: { 200: GitDiff },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  gitFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/git/file',
    token: 'workspace',
    workspace: 'running',
    summary: 'Read a file at a revision',
    query: RevisionQuery,
    responses: {
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
    workspace: 'running',
    summary: 'List local and remote branches',
    query: WorktreeQuery,
    responses: { 200: z.strictObject({ branches: z.array(Branch), truncated: z.boolean() }) },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  listWorktrees: {
    method: 'get',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    workspace: 'running',
    summary: 'List the worktrees of the repository',
    description: 'The first 50 that git lists; `truncated` is true when the workspace has more.',
    responses: { 200: z.strictObject({ worktrees: z.array(Worktree), truncated: z.boolean() }) },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  createWorktree: {
    method: 'post',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    workspace: 'running',
    summary: 'Create a worktree of a branch beside the repository',
    body: NewWorktree,
    responses: { 201: Worktree },
    errors: ['not_found', 'invalid_transition', 'worktree_conflict', 'worktree_limit', 'timed_out'],
  },
  removeWorktree: {
    method: 'delete',
    path: '/workspaces/{workspaceId}/worktrees',
    token: 'workspace',
    workspace: 'running',
    summary: 'Remove a worktree',
    description: 'A worktree with uncommitted changes is removed only with `force=true`.',
    query: RemoveQuery,
    responses: { 200: z.strictObject({ removed: z.string() }) },
    errors: ['not_found', 'invalid_transition', 'worktree_conflict', 'worktree_dirty', 'timed_out'],
  },
} satisfies AgentContracts;
