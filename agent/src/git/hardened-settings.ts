import { devNull } from 'node:os';
import { credentialHelper } from './git-settings.js';

/**
 * Settings for git that works on a repository of people: no program that the repository or its
 * attributes name is run, and only the given protocols are spoken.
 */
export function hardenedArguments(socketPath: string, protocols: readonly string[]): string[] {
  const settings = [
    'credential.helper=',
    `credential.helper=${credentialHelper(socketPath)}`,
    `core.hooksPath=${devNull}`,
    `core.attributesFile=${devNull}`,
    'core.fsmonitor=false',
    'core.protectHFS=true',
    'core.protectNTFS=true',
    'protocol.allow=never',
    ...protocols.map((protocol) => `protocol.${protocol}.allow=always`),
    'safe.bareRepository=explicit',
    'submodule.recurse=false',
    'transfer.bundleURI=false',
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/** Without settings of this machine and without a terminal to ask at. */
export function hardenedEnvironment(
  protocols: readonly string[],
): Readonly<Record<string, string | undefined>> {
  return {
    PATH: process.env.PATH,
    HOME: devNull,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_LFS_SKIP_SMUDGE: '1',
  };
}
