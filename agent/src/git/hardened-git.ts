import { devNull } from 'node:os';
import { credentialHelper } from './git-settings.js';

/**
 * The settings with which the agent runs git in every repository that other people configure: on
 * the node (clones) and in workspaces (queries, worktrees, snapshots). No program is run that a
 * repository names. An empty value switches a program off; git before 2.36 would run the value
 * `false` of `core.fsmonitor` as a program.
 */
const fixedSettings: readonly (readonly [name: string, value: string])[] = [
  ['core.fsmonitor', ''],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.askPass', ''],
  ['core.sshCommand', 'false'],
  ['core.alternateRefsCommand', ':'],
  ['diff.external', ''],
  ['diff.submodule', 'short'],
  ['diff.orderFile', devNull],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['status.submoduleSummary', 'false'],
  ['gc.auto', '0'],
  ['gc.recentObjectsHook', ''],
  ['maintenance.auto', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['safe.bareRepository', 'explicit'],
  ['credential.helper', ''],
];

/** Arguments of a clone on the node: it speaks the given protocols only. */
export function cloneArguments(socketPath: string, protocols: readonly string[]): string[] {
  const settings = [
    ...fixedSettings.map(([name, value]) => `${name}=${value}`),
    `credential.helper=${credentialHelper(socketPath)}`,
    `core.attributesFile=${devNull}`,
    'core.protectHFS=true',
    'core.protectNTFS=true',
    'protocol.allow=never',
    ...protocols.map((protocol) => `protocol.${protocol}.allow=always`),
    'transfer.bundleURI=false',
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/** Environment of a clone on the node: no settings of the machine, no terminal to ask at. */
export function cloneEnvironment(protocols: readonly string[]): Readonly<Record<string, string | undefined>> {
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

/** The fixed settings as calls of the shell function `safe_set` below. No value needs quotes. */
const setFixedSettings = fixedSettings
  .map(([name, value]) => `  safe_set ${name} ${value || "''"}`)
  .join('\n');

/**
 * Shell functions for git in a workspace. `harden` reads the names of all settings that git would
 * use in the current folder and overrides each one that names a program. It must run again in every
 * other repository: a submodule and a worktree have settings of their own.
 * docs/decisions/0025-git-ignores-the-programs-of-a-repository.md says why it works this way.
 *
 * `harden` alone: no network. `harden online`: git may fetch missing objects of a partial clone
 * over the protocols of GIT_ALLOW_PROTOCOL, with no credential helper but the agent's.
 */
const prelude = `
safe_set() {
  export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$1" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=$2"
  GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
  # Git before 2.31 reads this form only, which cannot hold every name.
  case $1 in *=*)
    : "\${safe_version:=$(git version)}"
    case \${safe_version#git version } in 2.[0-9].* | 2.[12][0-9].* | 2.30.* | '') exit 51 ;; *) return ;; esac ;;
  esac
  safe_pair="$1=$2"
  case $safe_pair in *\\'*) safe_pair=$(printf '%s' "$safe_pair" | sed "s/'/'\\\\\\\\''/g") ;; esac
  GIT_CONFIG_PARAMETERS="\${GIT_CONFIG_PARAMETERS:+$GIT_CONFIG_PARAMETERS }'$safe_pair'"
}

harden() {
  for safe_name in $(env | sed -n 's/^\\(GIT_[A-Z0-9_]*\\)=.*/\\1/p'); do
    case $safe_name in
      GIT_CONFIG_SYSTEM | GIT_ALLOW_PROTOCOL | GIT_AUTHOR_* | GIT_COMMITTER_*) ;;
      *) unset "$safe_name" ;;
    esac
  done
  # The byte locale: no name is too odd for the patterns below.
  export LC_ALL=C GIT_PAGER=cat GIT_EDITOR=: GIT_ASKPASS= SSH_ASKPASS= GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0
  export GIT_TRACE2=0 GIT_TRACE2_EVENT=0 GIT_TRACE2_PERF=0
  # The repository is the one of this folder, with this folder as its tree, whatever its settings name.
  GIT_WORK_TREE=$(pwd -P)
  GIT_CEILING_DIRECTORIES=\${GIT_WORK_TREE%/*}
  export GIT_WORK_TREE GIT_CEILING_DIRECTORIES
  safe_helper=
  if [ "\${1-}" = online ]; then
    [ -z "\${GIT_CONFIG_SYSTEM-}" ] ||
      safe_helper=$(git config --file "$GIT_CONFIG_SYSTEM" --no-includes --get credential.helper)
  else
    export GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none
  fi

  safe_version=
  safe_names=$(git config --list --name-only) || exit
  [ \${#safe_names} -le 262144 ] || exit 50
  GIT_CONFIG_COUNT=0
${setFixedSettings}
  safe_ifs=$IFS
  IFS='
'
  set -f
  for safe_name in $safe_names; do
    case $safe_name in
      filter.*.clean | filter.*.smudge | filter.*.process) safe_set "$safe_name" '' ;;
      filter.*.required) safe_set "$safe_name" false ;;
      diff.*.command | diff.*.textconv | credential.*.helper) safe_set "$safe_name" '' ;;
      hook.*.*) safe_set "\${safe_name%.*}.enabled" false ;;
    esac
  done
  set +f
  IFS=$safe_ifs
  [ "$GIT_CONFIG_COUNT" -le 500 ] || exit 50
  [ -z "$safe_helper" ] || safe_set credential.helper "$safe_helper"
  export GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS
}
`;

/** A git script that uses only what the repository holds. */
export const offlineGit = (text: string): string => `${prelude}harden\n${text}`;

/**
 * A script that calls `harden` itself in each repository, before it runs git there. Without a
 * repository it saves the start of ten programs.
 */
export const hardeningItself = (text: string): string => `${prelude}export LC_ALL=C\n${text}`;

/** A git script that may fetch missing objects of a partial clone. */
export const onlineGit = (text: string): string => `${prelude}harden online\n${text}`;

/** The command that runs such a script; its arguments are `$1` and so on. */
export function gitScript(script: string, ...args: string[]): string[] {
  return ['/bin/sh', '-c', script, 'sh', ...args];
}

const offlineCommand = offlineGit('exec git "$@"');
const onlineCommand = onlineGit('exec git "$@"');

/** One git command that uses only what the repository holds. */
export const offlineGitCommand = (...args: string[]): string[] => gitScript(offlineCommand, ...args);

/** One git command that may fetch missing objects of a partial clone. */
export const onlineGitCommand = (...args: string[]): string[] => gitScript(onlineCommand, ...args);
