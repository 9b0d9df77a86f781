import { resolve } from 'node:path';
import { duration, integerOrFallback, parsed, text } from '../variable.js';

/** How workspaces are made. */
export const workspaceVariables = {
  baseDir: parsed(
    ['WORKSPACE_BASE_DIR', '/workspace', "Standalone workspaces; one node's alone, unknown ones are removed"],
    'a path',
    (given) => resolve(given),
  ),
  defaultImage: text(
    'DEFAULT_DEVCONTAINER_IMAGE',
    'mcr.microsoft.com/devcontainers/typescript-node:22-bookworm',
    'Image of a workspace that names none',
  ),
  network: text('WORKSPACE_NETWORK', 'bridge', 'Docker network of workspace containers'),
  /** Null: whole clones. */
  cloneFilter: parsed(
    ['STANDALONE_CLONE_FILTER', 'blob:none', 'Partial-clone filter of standalone workspaces; off: none'],
    'a filter of git, or off',
    cloneFilter,
  ),
  buildSlots: integerOrFallback(
    ['WORKSPACE_BUILD_QUEUE_DEPTH', '1', 'Workspaces made at once, 1 to 16; an invalid value means 1'],
    { min: 1, max: 16 },
  ),
  provisioningTimeoutMs: duration('BOOTSTRAP_TIMEOUT', '30m', 'Longest time to make one workspace'),
};

function cloneFilter(given: string): string | null | undefined {
  if (given === 'off') return null;
  return /^[a-z0-9:=,+-]+$/i.test(given) ? given : undefined;
}
