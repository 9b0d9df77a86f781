import { resolve } from 'node:path';
import { parseSubnets } from '../workspaces/container/workspace-networks.js';
import { duration, flag, integer, integerOrFallback, optional, parsed, text } from './variable.js';

/** Creation of workspaces. */
export const workspaceVariables = {
  baseDir: parsed(
    [
      'WORKSPACE_BASE_DIR',
      '/workspace',
      'Folder of standalone workspaces; only one node may use it, and the node quarantines unknown workspaces',
    ],
    'a path',
    (given) => resolve(given),
  ),
  defaultImage: text(
    'DEFAULT_DEVCONTAINER_IMAGE',
    'mcr.microsoft.com/devcontainers/typescript-node:22-bookworm',
    'Image of a workspace without a dev container of its own',
  ),
  network: text(
    'WORKSPACE_NETWORK',
    'own',
    'own: a Docker network for each workspace; otherwise the name of one network that all workspaces share',
  ),
  subnets: parsed(
    ['WORKSPACE_SUBNETS', '10.213.0.0/16', 'Private IPv4 range of the networks of workspaces'],
    'a range such as 10.213.0.0/16, of /8 to /24',
    parseSubnets,
  ),
  loopbackAlias: optional(
    'WORKSPACE_LOOPBACK_ALIAS',
    'Address at which containers reach the loopback address of this machine (laptop)',
  ),
  nodePath: optional(
    'WORKSPACE_NODE_PATH',
    "Node.js program for coding agents when the image has no suitable one; default: the agent's own",
  ),
  harnessPath: optional(
    'WORKSPACE_HARNESS_PATH',
    'Folder with coding agents of the release, which workspaces share. Others are installed when they start',
  ),
  /** Null: full clones. */
  cloneFilter: parsed(
    [
      'STANDALONE_CLONE_FILTER',
      'blob:none',
      'Partial-clone filter of standalone workspaces; off: full clones',
    ],
    'a filter of git, or off',
    cloneFilter,
  ),
  buildSlots: integerOrFallback(
    [
      'WORKSPACE_BUILD_QUEUE_DEPTH',
      '1',
      'Workspaces that are created at the same time, 1 to 16; an invalid value means 1',
    ],
    { min: 1, max: 16 },
  ),
  quarantineMs: duration(
    'WORKSPACE_QUARANTINE_PERIOD',
    '168h',
    'Time after which remains of a workspace that the node has no record of are removed',
  ),
  provisioningTimeoutMs: duration('BOOTSTRAP_TIMEOUT', '30m', 'Timeout of creating one workspace'),
  /** For builds and clones in the container role. */
  sandbox: {
    userId: integer(
      [
        'SANDBOX_USER_ID',
        '59998',
        'User and group id of sandboxes for builds and clones, when the agent is root',
      ],
      { min: 1_000, max: 65_533 },
    ),
    isRequired: flag(
      'SANDBOX_REQUIRED',
      'false',
      'Whether clones fail when bubblewrap does not work; builds always need bubblewrap',
    ),
  },
  devcontainer: {
    cliPath: optional(
      'DEVCONTAINER_CLI_PATH',
      'Dev container CLI, a Node.js script or a program; default: devcontainer-cli/ beside the agent',
    ),
    /** Of one run of the CLI. */
    timeoutMs: duration(
      'DEVCONTAINER_BUILD_TIMEOUT',
      '15m',
      'Timeout of one build, and of one run of its commands',
    ),
    cachePushTimeoutMs: duration(
      'DEVCONTAINER_CACHE_PUSH_TIMEOUT',
      '10m',
      'Timeout of fetching or pushing a cache image',
    ),
    buildKit: {
      isAllowed: flag(
        'DEVCONTAINER_BUILDKIT',
        'true',
        'Whether Dockerfiles that need BuildKit are built with it, where the node can limit its steps',
      ),
      buildxPath: optional(
        'DEVCONTAINER_BUILDX_PATH',
        'The buildx plug-in of the docker command; default: the one that the docker command finds',
      ),
    },
    allowedHosts: parsed(
      [
        'DEVCONTAINER_BUILD_HOSTS',
        '',
        'Hosts, separated by commas, from which ADD of a Dockerfile may fetch, and registries at private addresses',
      ],
      'host names, separated by commas',
      hostNames,
    ),
    retainedBytes: integer(
      ['COMPOSE_OUTPUT_RETENTION_BYTES', '65536', 'Bytes kept of the end of the output of a build'],
      { min: 1_024, max: 1_048_576 },
    ),
  },
};

function hostNames(given: string): readonly string[] | undefined {
  const names = given
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names.every((name) => /^[a-z0-9.-]+(?::\d+)?$/.test(name)) ? names : undefined;
}

function cloneFilter(given: string): string | null | undefined {
  if (given === 'off') return null;
  return /^[a-z0-9:=,+-]+$/i.test(given) ? given : undefined;
}

export const terminalVariables = {
  /** 0: a terminal without viewers stays. */
  orphanGraceMs: duration(
    'PTY_ORPHAN_GRACE_PERIOD',
    '0s',
    'Time after which a terminal without viewers ends; 0: never',
    0,
  ),
};

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
  archiveBytes: bytes(
    'FILE_ARCHIVE_MAX_SIZE',
    16_384 * mebibyte,
    'Most bytes of a downloaded folder before compression',
  ),
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
