import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../../protocol/workspace-files.js';
import { contract } from '../../edge/contract.js';
import { FilePath } from '../files/file-path.js';
import { fileErrors, sessionParams } from '../files/session-files.js';

export const status = contract({
  summary: 'Staged, unstaged and untracked files',
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
  summary: 'What has changed since the last commit or, staged, what the next one would hold',
  description: 'Of one file with `path`. At most 1 MiB; `truncated` says that there is more.',
  params: sessionParams,
  query: z.strictObject({
    path: z.optional(FilePath),
    staged: z._default(z.enum(['true', '1', 'false', '0']), 'false'),
  }),
  responses: { 200: GitDiff },
  errors: [...fileErrors, 'PAYLOAD_TOO_LARGE'],
});
