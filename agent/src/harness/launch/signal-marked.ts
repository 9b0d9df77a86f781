/**
 * POSIX shell: signals (\`$1\`) every process whose environment has the entry \`$2\` (an entry that ends with \`=\` stands for
 * any value), and all that descends from one, also what has cleaned its environment.
 */
export const signalMarked = `
case "$2" in *=) pattern="^$2" ;; *) pattern="^$2\\$" ;; esac
found=' '
for folder in /proc/[0-9]*; do
  tr '\\0' '\\n' <"$folder/environ" 2>/dev/null | grep -q -- "$pattern" && found="$found\${folder#/proc/} "
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
