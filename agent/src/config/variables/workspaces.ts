import { resolve } from 'node:path';
import { parseSubnets } from '../../workspaces/container/workspace-networks.js';
import { duration, flag, integer, integerOrFallback, optional, parsed, text } from '../variable.js';

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
    'Image of a workspace without a dev container of its own',
  ),
  network: text(
    'WORKSPACE_NETWORK',
    'own',
    'own: a Docker network for each workspace; else the name of one network that all workspaces share',
  ),
  subnets: parsed(
    ['WORKSPACE_SUBNETS', '10.213.0.0/16', 'Private IPv4 range that networks of workspaces are taken from'],
    'a range such as 10.213.0.0/16, of /8 to /24',
    parseSubnets,
  ),
  loopbackAlias: optional(
    'WORKSPACE_LOOPBACK_ALIAS',
    'Address at which containers find what listens on the loopback address of this machine (laptop)',
  ),
  nodePath: optional(
    'WORKSPACE_NODE_PATH',
    "Node's program that coding agents get where the image has none that fits; the agent's own Node without it",
  ),
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
  /** For builds and clones in the container role. */
  sandbox: {
    userId: integer(
      [
        'SANDBOX_USER_ID',
        '59998',
        'User and group of sandboxes for builds and clones, where the agent is root',
      ],
      { min: 1_000, max: 65_533 },
    ),
    isRequired: flag(
      'SANDBOX_REQUIRED',
      'false',
      'Whether repositories are not cloned where bubblewrap does not work; without it none is ever built',
    ),
  },
  devcontainer: {
    cliPath: optional(
      'DEVCONTAINER_CLI_PATH',
      'The dev container tool, a script for Node or a program; devcontainer-cli/ beside the agent without it',
    ),
    /** Of one run of the tool. */
    timeoutMs: duration(
      'DEVCONTAINER_BUILD_TIMEOUT',
      '15m',
      'Longest build, and longest run of its commands',
    ),
    cachePushTimeoutMs: duration(
      'DEVCONTAINER_CACHE_PUSH_TIMEOUT',
      '10m',
      'Fetching or sending a cache image',
    ),
    retainedBytes: integer(
      ['COMPOSE_OUTPUT_RETENTION_BYTES', '65536', 'Retained end of the output of a build'],
      { min: 1_024, max: 1_048_576 },
    ),
  },
};

function cloneFilter(given: string): string | null | undefined {
  if (given === 'off') return null;
  return /^[a-z0-9:=,+-]+$/i.test(given) ? given : undefined;
}
