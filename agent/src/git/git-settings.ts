import type { UrlSwap } from '../workspaces/loopback-alias.js';

export interface GitSettings {
  /** Path of the credential socket, as the workspace sees it. */
  readonly socketPath: string;
  readonly userName: string | undefined;
  readonly userEmail: string | undefined;
  /** Another address for the code host. */
  readonly swap?: UrlSwap | null;
}

/** A value of git's settings format, quoted. https://git-scm.com/docs/git-config#_syntax */
function quoted(value: string): string {
  const safe = value.replace(/[\r\n\0]/g, ' ');
  return `"${safe.replace(/[\\"]/g, (character) => `\\${character}`)}"`;
}

/** Git's own client of the socket. It prints the `message` of an answer, which git would drop. */
export function credentialHelper(socketPath: string): string {
  const socket = `'${socketPath.replaceAll("'", `'\\''`)}'`;
  const print =
    `while IFS= read -r line; do case $line in message=*) printf '%s\\n' "\${line#message=}" >&2;; ` +
    `*) printf '%s\\n' "$line";; esac; done`;
  return `!f() { git credential-cache --socket=${socket} "$@" | ${print}; }; f`;
}

/** The file for GIT_CONFIG_SYSTEM of a workspace: the image's settings, credentials, committer. */
export function gitSettingsText({ socketPath, userName, userEmail, swap = null }: GitSettings): string {
  return [
    '[include]\n\tpath = /etc/gitconfig',
    `[credential]\n\thelper = ${quoted(credentialHelper(socketPath))}\n\tuseHttpPath = true`,
    '[safe]\n\tdirectory = *',
    ...(swap ? [`[url ${quoted(swap.to)}]\n\tinsteadOf = ${quoted(swap.from)}`] : []),
    ...(userName ? [`[user]\n\tname = ${quoted(userName)}`] : []),
    ...(userEmail ? [`[user]\n\temail = ${quoted(userEmail)}`] : []),
    '',
  ].join('\n');
}
