import * as z from 'zod/mini';
import { FolderListing, FoundFiles, UploadedFiles } from '../../protocol/workspace-files.js';
import { FileQuery, FindQuery, FolderQuery, WorktreeQuery } from '../src/http/file-routes.js';
import type { AgentContracts } from './contract.js';

const inWorktree = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(query: z.ZodMiniObject<Shape>) =>
  z.extend(query, WorktreeQuery.shape);

export const fileContracts = {
  listFiles: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/list',
    token: 'workspace',
    summary: 'Entries of a folder, folders first',
    query: inWorktree(FolderQuery),
    answers: { 200: FolderListing },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  findFiles: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/find',
    token: 'workspace',
    summary: 'Files under a folder whose path holds a text',
    query: inWorktree(FindQuery),
    answers: { 200: FoundFiles },
    errors: ['not_found', 'invalid_transition', 'timed_out'],
  },
  rawFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/raw',
    token: 'transfer',
    summary: 'A file with its media type, ETag and byte ranges',
    query: inWorktree(FileQuery),
    answers: { 200: 'application/octet-stream', 206: 'application/octet-stream', 304: null },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'range_not_satisfiable', 'timed_out'],
  },
  downloadFile: {
    method: 'get',
    path: '/workspaces/{workspaceId}/files/download',
    token: 'transfer',
    summary: 'A file to keep, or a folder as .tar.gz',
    query: inWorktree(FileQuery),
    answers: { 200: 'application/octet-stream' },
    errors: ['not_found', 'invalid_transition', 'payload_too_large', 'timed_out'],
  },
  uploadFiles: {
    method: 'post',
    path: '/workspaces/{workspaceId}/files/upload',
    token: 'transfer',
    summary: 'Put files into a folder, all of them or none',
    description:
      'The field `destination` comes first (default `../.private`, beside the repository), then the files.',
    query: WorktreeQuery,
    body: 'multipart/form-data',
    answers: { 200: UploadedFiles },
    errors: ['not_found', 'invalid_transition', 'insufficient_storage', 'timed_out'],
  },
} satisfies AgentContracts;
