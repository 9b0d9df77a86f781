/** In the environment of every coding agent and of what it starts: the session it works for, and which run of it. */
export const harnessMark = 'SVC_HARNESS';

/**
 * POSIX shell: signals (\`$1\`) every process whose environment has an entry that \`$2\`, a basic regular expression, matches,
 * and all that descends from one, also what has cleaned its environment.
 */
export const signalMarked = `
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
