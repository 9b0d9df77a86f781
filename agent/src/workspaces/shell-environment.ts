import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import { workspaceMarker } from './marked-processes.js';

const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The login shell: bash if installed, otherwise sh. */
export function findShell(): string {
  return ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

/**
 * The whole environment of a shell in a standalone workspace. Nothing is inherited from the agent,
 * in particular no tokens.
 */
export function shellEnvironment(options: {
  readonly workspaceId: string;
  readonly home: string;
  readonly gitSettings: string;
  readonly extra: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { username } = userInfo();
  return {
    PATH: shellPath(process.env.PATH),
    HOME: options.home,
    USER: username,
    LOGNAME: username,
    SHELL: findShell(),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: process.env.LANG ?? 'C.UTF-8',
    GIT_CONFIG_SYSTEM: options.gitSettings,
    [workspaceMarker]: options.workspaceId,
    ...options.extra,
  };
}

/** The agent's search path without folders of its own npm package. */
export function shellPath(path: string | undefined): string {
  const kept = (path ?? '').split(delimiter).filter((folder) => folder && !folder.includes('node_modules'));
  return kept.length > 0 ? kept.join(delimiter) : fallbackPath;
}
