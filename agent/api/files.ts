import * as z from 'zod/mini';
import { FolderListing, FoundFiles, UploadedFiles } from '../../protocol/workspace-files.js';
import { mediaTypes } from '../src/shared/media-type.js';
import type { AgentContracts } from './contract.js';
import { Path, WorktreeQuery } from './parameters.js';

const worktree = WorktreeQuery.shape;
const FolderQuery = z.object({ path: z._default(Path, '.'), ...worktree });
const FindQuery = z.object({
  path: z._default(Path, '.'),
  query: z._default(z.string().check(z.maxLength(250)), ''),
  ...worktree,
});
const FileQuery = z.object({ path: Path, ...worktree });

export const fileContracts = {
  listFiles: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/list',
    token: 'workspace',
    workspace: 'running',
    summary: 'List the entries of a folder, folders first',
    query: FolderQuery,
    responses: { 200: FolderListing },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  findFiles: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/find',
    token: 'workspace',
    workspace: 'running',
    summary: 'Find files under a folder whose path contains a text',
    query: FindQuery,
    responses: { 200: FoundFiles },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  rawFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/raw',
    token: 'transfer',
    transfer: 'raw',
    workspace: 'running',
    summary: 'Read a file with its media type, ETag and byte ranges',
    query: FileQuery,
    responses: { 200: mediaTypes, 206: mediaTypes, 304: null },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'range_not_satisfiable', 'timed_out'],
  },
  downloadFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/download',
    token: 'transfer',
    transfer: 'download',
    workspace: 'running',
    summary: 'Download a file, or a folder as .tar.gz',
    query: FileQuery,
    responses: { 200: ['application/octet-stream', 'application/gzip'] },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  uploadFiles: {
    method: 'post',
    path: '/workspaces/{workspaceId}/files/upload',
    token: 'transfer',
    transfer: 'upload',
    workspace: 'running',
    summary: 'Upload files into a folder, all of them or none',
    description:
      'The form begins with the field `destination` (default `../.private`, beside the repository); the files follow.',
    query: WorktreeQuery,
    body: 'multipart/form-data',
    responses: { 200: UploadedFiles },
    errors: ['not_found', 'invalid_transition', 'insufficient_storage', 'timed_out'],
  },
} satisfies AgentContracts;
