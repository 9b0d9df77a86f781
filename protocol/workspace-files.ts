import * as z from 'zod/mini';

/** What a node reports of the files of a workspace, and of what git knows of them. */

const Entry = z.strictObject({
  name: z.string(),
  type: z.enum(['file', 'dir', 'symlink', 'other']),
  size: z.number(),
  modifiedAt: z.iso.datetime(),
});

/** `truncated`: there is more than is listed. */
export const FolderListing = z.strictObject({
  path: z.string(),
  entries: z.array(Entry),
  truncated: z.boolean(),
});
export const FoundFiles = z.strictObject({ files: z.array(z.string()), truncated: z.boolean() });
export const UploadedFiles = z.strictObject({
  files: z.array(z.strictObject({ name: z.string(), path: z.string(), size: z.int() })),
});

const StatusEntry = z.strictObject({
  path: z.string(),
  status: z.string(),
  oldPath: z.optional(z.string()),
});
export const GitStatus = z.strictObject({
  staged: z.array(StatusEntry),
  unstaged: z.array(StatusEntry),
  untracked: z.array(StatusEntry),
  truncated: z.boolean(),
});
export const GitDiff = z.strictObject({
  filePath: z.nullable(z.string()),
  diff: z.string(),
  truncated: z.boolean(),
});

/** What browsers let a file do that they show: nothing. */
export const fileContentPolicy =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'";

/** What a transfer token lets through: one of the routes that carry whole files. */
export const transfers = ['raw', 'download', 'upload'] as const;
export type Transfer = (typeof transfers)[number];
