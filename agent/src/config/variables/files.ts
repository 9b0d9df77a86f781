import { duration, integer } from '../variable.js';

const mebibyte = 1_024 * 1_024;
const bytes = (name: string, fallback: number, meaning: string) =>
  integer([name, String(fallback), meaning], { min: 1, max: 2 ** 40 });
const count = (name: string, fallback: number, meaning: string) =>
  integer([name, String(fallback), meaning], { min: 1, max: 100_000 });

/** Bounds of what is read and written in workspaces. */
export const fileVariables = {
  listEntries: count('FILE_LIST_MAX_ENTRIES', 1_000, 'Entries of a listed folder'),
  listMs: duration('FILE_LIST_TIMEOUT', '10s', 'One listing'),
  findFiles: count('FILE_FIND_MAX_ENTRIES', 5_000, 'Files of one search'),
  findMs: duration('FILE_FIND_TIMEOUT', '10s', 'One search'),
  rawBytes: bytes('FILE_RAW_MAX_SIZE', 50 * mebibyte, 'Bytes of a shown file'),
  rawMs: duration('FILE_RAW_TIMEOUT', '60s', 'Longest time to send a shown file'),
  downloadBytes: bytes('FILE_DOWNLOAD_MAX_SIZE', 50 * mebibyte, 'Bytes of a downloaded file'),
  downloadMs: duration('FILE_DOWNLOAD_TIMEOUT', '60s', 'Longest time to send a downloaded file'),
  archiveMs: duration('FILE_ARCHIVE_TIMEOUT', '30m', 'Longest time to send a downloaded folder'),
  upload: {
    fileBytes: bytes('FILE_UPLOAD_MAX_SIZE', 50 * mebibyte, 'Bytes of an uploaded file'),
    requestBytes: bytes('FILE_UPLOAD_BATCH_MAX_SIZE', 250 * mebibyte, 'Bytes of one upload'),
    files: count('FILE_UPLOAD_MAX_FILES', 100, 'Files of one upload'),
    timeMs: duration('FILE_UPLOAD_TIMEOUT', '120s', 'One upload'),
  },
};

export const gitVariables = {
  // Shorter than the control plane waits: its function hears of the timeout from the node, which thus still answers.
  execMs: duration('GIT_EXEC_TIMEOUT', '10s', 'One command of git'),
  fileBytes: bytes('GIT_FILE_MAX_SIZE', mebibyte, 'Bytes of a file at a revision'),
  diffBytes: bytes('GIT_DIFF_MAX_SIZE', mebibyte, 'Bytes of a difference; the rest is cut off'),
  worktreeMs: duration('GIT_WORKTREE_TIMEOUT', '30s', 'One command about worktrees'),
  maxWorktrees: integer(['MAX_WORKTREES_PER_WORKSPACE', '5', 'Worktrees beside a repository'], {
    min: 0,
    max: 1_000,
  }),
};
