/** In the environment of every coding agent and of what it starts: the session it works for, and which run of it. */
export const harnessMark = 'SVC_HARNESS';

/**
 * A command that signals every process of its container whose environment has an entry that `pattern`, a basic regular
 * expression, matches, and all that descends from one. It sees no other container's processes, and of its own those
 * environments that its user may read: root without SYS_PTRACE cannot read those of other users, so that it is to be run
 * as both (`DockerEngine.runAsAll`).
 */
export function signalMarked(signal: 'KILL' | 'TERM', pattern: string): string[] {
  return ['/bin/sh', '-c', script, 'sh', signal, pattern];
}

/**
 * POSIX shell: signals (\`$1\`) every process whose environment has an entry that \`$2\`, a basic regular expression, matches,
 * and all that descends from one, also what has cleaned its environment.
 */
const script = `
found=' '
for folder in /proc/[0-9]*; do
  tr '\\0' '\\n' <"$folder/environ" 2>/dev/null | grep -q -- "$2" && found="$found\${folder#/proc/} "
done
[ "$found" != ' ' ] || exit 0
grew=yes
while [ "$grew" ]; do
  grew=
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    case "$found" in *" $pid "*) continue ;; esac
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$folder/status" 2>/dev/null)
    case "$found" in *" \${parent:-none} "*) found="$found$pid "; grew=yes ;; esac
  done
done
kill -"$1" $found 2>/dev/null
exit 0`;
