/**
 * The shell functions that make git safe in a repository which other people configure. `harden` reads the names of
 * all settings that git would use in the current folder and overrides each one that names a program. It must run
 * again in every other repository: a submodule and a worktree have settings of their own.
 * docs/decisions/0025-git-ignores-the-programs-of-a-repository.md says why it works this way.
 *
 * `harden` alone: no network. `harden online`: missing objects of a partial clone may be fetched over the protocols
 * of GIT_ALLOW_PROTOCOL, with no credential helper but the agent's.
 */
const prelude = `
safe_set() {
  export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$1" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=$2"
  GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
  # Git before 2.31 reads this form only, which cannot hold every name.
  case $1 in *=*) case $safe_version in 2.[0-9].* | 2.[12][0-9].* | 2.30.*) exit 51 ;; *) return ;; esac ;; esac
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

  safe_version=$(git version) || exit
  safe_version=\${safe_version#git version }
  safe_names=$(git config --list --name-only) || exit
  [ \${#safe_names} -le 262144 ] || exit 50
  GIT_CONFIG_COUNT=0
  safe_set core.fsmonitor ''
  safe_set core.hooksPath /dev/null
  safe_set core.pager cat
  safe_set core.askPass ''
  safe_set core.sshCommand false
  safe_set core.alternateRefsCommand :
  safe_set diff.external ''
  safe_set diff.submodule short
  safe_set diff.orderFile /dev/null
  safe_set submodule.recurse false
  safe_set fetch.recurseSubmodules false
  safe_set status.submoduleSummary false
  safe_set gc.auto 0
  safe_set gc.recentObjectsHook ''
  safe_set maintenance.auto false
  safe_set log.showSignature false
  safe_set gpg.program false
  safe_set safe.bareRepository explicit
  safe_set credential.helper ''
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

/** A script of git that needs nothing but what the repository holds. */
export const offlineGit = (text: string): string => `${prelude}harden\n${text}`;

/** A script of git that may fetch the missing objects of a partial clone. */
export const onlineGit = (text: string): string => `${prelude}harden online\n${text}`;

/** The program that runs such a script; the arguments are \`$1\` and on. */
export function gitScript(script: string, ...args: string[]): string[] {
  return ['/bin/sh', '-c', script, 'sh', ...args];
}

const offlineCommand = offlineGit('exec git "$@"');
const onlineCommand = onlineGit('exec git "$@"');

/** One command of git that needs nothing but what the repository holds. */
export const offlineGitCommand = (...args: string[]): string[] => gitScript(offlineCommand, ...args);

/** One command of git that may fetch the missing objects of a partial clone. */
export const onlineGitCommand = (...args: string[]): string[] => gitScript(onlineCommand, ...args);
