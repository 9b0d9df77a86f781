/** Environment variable of every coding agent and its children: session and run. */
export const harnessMarker = 'SVC_HARNESS';

/**
 * Returns a command that signals every process of its container with an environment entry that
 * matches `pattern` (a basic regular expression), and their descendants. It sees only environments
 * that its user may read: root without SYS_PTRACE cannot read those of other users, so run it as
 * both (`DockerEngine.runAsAll`).
 */
export function signalMarkedProcesses(signal: 'KILL' | 'TERM', pattern: string): string[] {
  return ['/bin/sh', '-c', script, 'sh', signal, pattern];
}

/**
 * POSIX shell: sends signal \`$1\` to every process with an environment entry that matches \`$2\`,
 * and to all descendants, also those with a cleared environment.
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
