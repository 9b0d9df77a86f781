import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../../protocol/workspace-files.js';
import { contract } from '../../edge/contract.js';
import { FilePath, fileErrors, sessionParams } from '../files/file-parameters.js';

export const status = contract({
  summary: 'Get the git status of the workspace',
  description: 'Returns staged, unstaged and untracked files.',
  params: sessionParams,
  responses: { 200: GitStatus },
  answers: {
    200: {
      staged: [],
      unstaged: [{ path: 'README.md', status: 'M' }],
      untracked: [{ path: 'notes.txt', status: '??' }],
      truncated: false,
    },
  },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});

export const diff = contract({
  summary: 'Get the git diff of the workspace',
  description:
    'Returns the changes since the last commit, or with `staged` the staged changes. Pass `path` for one file. At most 1 MiB; `truncated` is true when the diff is longer.',
  params: sessionParams,
  query: z.strictObject({
    path: z.optional(FilePath),
    staged: z._default(z.enum(['true', '1', 'false', '0']), 'false'),
  }),
  responses: { 200: GitDiff },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});
