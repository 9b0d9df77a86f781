import { duration, integer } from '../variable.js';

const mebibyte = 1_024 * 1_024;
const bytes = (name: string, fallback: number, meaning: string) =>
  integer([name, String(fallback), meaning], { min: 1, max: 2 ** 40 });
const count = (name: string, fallback: number, meaning: string) =>
  integer([name, String(fallback), meaning], { min: 1, max: 100_000 });

/** Limits of reading and writing in workspaces. */
export const fileVariables = {
  listEntries: count('FILE_LIST_MAX_ENTRIES', 1_000, 'Most entries of a listed folder'),
  listMs: duration('FILE_LIST_TIMEOUT', '10s', 'Timeout of one listing'),
  findFiles: count('FILE_FIND_MAX_ENTRIES', 5_000, 'Most files that one search returns'),
  findMs: duration('FILE_FIND_TIMEOUT', '10s', 'Timeout of one search'),
  rawBytes: bytes('FILE_RAW_MAX_SIZE', 50 * mebibyte, 'Largest file that `raw` sends, in bytes'),
  rawMs: duration('FILE_RAW_TIMEOUT', '60s', 'Timeout of sending such a file'),
  downloadBytes: bytes(
    'FILE_DOWNLOAD_MAX_SIZE',
    50 * mebibyte,
    'Largest file that can be downloaded, in bytes',
  ),
  downloadMs: duration('FILE_DOWNLOAD_TIMEOUT', '60s', 'Timeout of sending a downloaded file'),
  archiveMs: duration('FILE_ARCHIVE_TIMEOUT', '30m', 'Timeout of sending a downloaded folder'),
  upload: {
    fileBytes: bytes('FILE_UPLOAD_MAX_SIZE', 50 * mebibyte, 'Largest uploaded file, in bytes'),
    requestBytes: bytes('FILE_UPLOAD_BATCH_MAX_SIZE', 250 * mebibyte, 'Largest upload request, in bytes'),
    files: count('FILE_UPLOAD_MAX_FILES', 100, 'Most files of one upload'),
    timeMs: duration('FILE_UPLOAD_TIMEOUT', '120s', 'Timeout of one upload'),
  },
};

export const gitVariables = {
  // Shorter than the control plane's own timeout, so that the node reports the timeout itself.
  execMs: duration('GIT_EXEC_TIMEOUT', '10s', 'Timeout of one git command'),
  fileBytes: bytes('GIT_FILE_MAX_SIZE', mebibyte, 'Largest file at a revision, in bytes'),
  diffBytes: bytes('GIT_DIFF_MAX_SIZE', mebibyte, 'Largest diff, in bytes; the rest is cut off'),
  worktreeMs: duration('GIT_WORKTREE_TIMEOUT', '30s', 'Timeout of one git command about worktrees'),
  maxWorktrees: integer(['MAX_WORKTREES_PER_WORKSPACE', '5', 'Most worktrees beside a repository'], {
    min: 0,
    max: 1_000,
  }),
};
