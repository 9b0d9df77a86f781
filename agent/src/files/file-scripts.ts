/**
 * POSIX shell, with what GNU, BusyBox and macOS have in common. `$1` is the workspace's root and `$2` an absolute
 * path; `real` is where it leads to once all links are followed, and that must be under the root.
 */
const resolve = `
root=$(cd "$1" && pwd -P) || exit 40
resolve() {
  real=$(readlink -f "$1"; echo x); real=\${real%?x}
  [ -e "$real" ] || exit 40
  case "$real/" in "$root"/*) ;; *) exit 41 ;; esac
}
`;

const existing = `${resolve}resolve "$2"
`;

/** Goes to the folder \`real\` and looks where that has led: what a link is may have changed since it was looked at. */
const enter = `
[ -d "$real" ] || exit 42
cd "$real" 2>/dev/null || exit 44
here=$(pwd -P; echo x); here=\${here%?x}
case "$here/" in "$root"/*) ;; *) exit 41 ;; esac
`;

/** One line an entry: mode in hex, size, time, name. A name holds no slash, so \`./\` cannot be forged. */
export const listScript = `${existing}${enter}
[ -r . ] || exit 44
if stat -c %n / >/dev/null 2>&1
then find . ! -name . -prune ! -name '.svc-upload-*' -exec stat -c '%f %s %Y %n' {} + 2>/dev/null
else find . ! -name . -prune ! -name '.svc-upload-*' -exec stat -f '%Xp %z %m %N' {} + 2>/dev/null
fi
exit 0`;

/** Names end with NUL. Folders that tools fill are left out. */
export const findScript = `${existing}${enter}
find . \\( -name node_modules -o -name .git -o -name dist -o -name .next -o -name coverage \\
  -o -name __pycache__ -o -name vendor \\) -prune \\
  -o \\( -type f -o -type l \\) ! -name '.svc-upload-*' ! -name .DS_Store ! -name '*.pyc' -print0 2>/dev/null
exit 0`;

/** Mode in hex, size, time, inode. */
export const statScript = `${existing}
[ -r "$real" ] || exit 44
if stat -c %n / >/dev/null 2>&1
then exec stat -L -c '%f %s %Y %i' "$real"
else exec stat -L -f '%Xp %z %m %i' "$real"
fi`;

/** \`$3\`: first byte, \`$4\`: how many. */
export const readScript = `${existing}
[ -f "$real" ] || exit 42
command exec 3<"$real" || exit 44
# What was opened, not what the path leads to by now; macOS cannot tell.
if opened=$(readlink "/proc/self/fd/3"); then case "$opened" in "$root"/*) ;; *) exit 41 ;; esac; fi
if [ "$3" = 0 ]; then exec head -c "$4" <&3; fi
tail -c "+$(($3 + 1))" <&3 | head -c "$4"`;

export const archiveScript = `${existing}${enter}
tar -cf - .
# 1: a file changed while it was read.
[ $? -le 1 ]`;

/**
 * Standard input becomes the file \`$3\` beside the wanted \`$4\`, in a folder that is made where it is missing. Its
 * first missing part must already be inside, or making it would leave the workspace through a link.
 */
export const receiveScript = `${resolve}
probe=$2
while [ ! -e "$probe" ] && [ ! -L "$probe" ]; do probe=\${probe%/*}; done
resolve "$probe"
[ -d "$real" ] || exit 42
mkdir -p "$2" 2>/dev/null || exit 44
resolve "$2"
${enter}
[ -w . ] || exit 44
[ ! -d "$4" ] || exit 45
# What uploads left that were cut off by a crash.
find . ! -name . -prune -name '.svc-upload-*' -mmin +60 -exec rm -f {} +
cat >"./$3" || exit 46`;

/** Puts the received \`$3\` at its name \`$4\`, at once. */
export const acceptScript = `${existing}${enter}
[ ! -d "$4" ] || exit 45
mv -f "./$3" "./$4" || exit 46`;

export const discardScript = `${existing}${enter}
rm -f "./$3"`;

/** The whole file, or `$4` lines from line `$3` on. */
export const readLinesScript = `${existing}
[ -f "$real" ] || exit 42
[ -r "$real" ] || exit 44
if [ -z "$3" ]; then exec cat "$real"; fi
if [ -z "$4" ]; then exec tail -n "+$3" "$real"; fi
tail -n "+$3" "$real" | head -n "$4"`;

/**
 * Standard input becomes the text of \`$2\`, at once and with the mode that the file has; \`$3\` is a name beside it for the
 * meantime. A link is followed, and must lead to a place inside.
 */
export const writeTextScript = `${resolve}
probe=\${2%/*}
while [ ! -e "$probe" ] && [ ! -L "$probe" ]; do probe=\${probe%/*}; done
resolve "$probe"
[ -d "$real" ] || exit 42
mkdir -p "\${2%/*}" 2>/dev/null || exit 44
resolve "\${2%/*}"
cd "$real" || exit 44
name=\${2##*/}
if [ -L "./$name" ]; then resolve "./$name"; cd "\${real%/*}" || exit 44; name=\${real##*/}; fi
[ ! -d "./$name" ] || exit 45
if [ -e "./$name" ]; then [ -w "./$name" ] || exit 44; cp -p "./$name" "./$3" || exit 46; fi
{ cat >"./$3" && mv -f "./$3" "./$name"; } || { rm -f "./$3"; exit 46; }`;
