import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import { workspaceMark } from './workspace-processes.js';

const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The shell of people here: bash where it is, else what every system has. */
export function findShell(): string {
  return ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

/**
 * The whole environment of a shell in a standalone workspace. It is made anew, not inherited: nothing of what the
 * agent was started with, least of all its tokens, is in it.
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
    [workspaceMark]: options.workspaceId,
    ...options.extra,
  };
}

/** The agent's search path without the folders of the package it may have been started from. */
export function shellPath(path: string | undefined): string {
  const kept = (path ?? '').split(delimiter).filter((folder) => folder && !folder.includes('node_modules'));
  return kept.length > 0 ? kept.join(delimiter) : fallbackPath;
}
