/**
 * POSIX shell with the common subset of GNU, BusyBox and macOS. `$1` is the workspace's root, `$2`
 * an absolute path; `real` is its target with all links resolved, which must be under the root.
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

/** Enters \`real\` and checks where it is: a link may have changed since it was resolved. */
const enter = `
[ -d "$real" ] || exit 42
cd "$real" 2>/dev/null || exit 44
here=$(pwd -P; echo x); here=\${here%?x}
case "$here/" in "$root"/*) ;; *) exit 41 ;; esac
`;

/**
 * One line per entry: mode in hex, size, time, name. A name contains no slash, so \`./\` cannot be
 * forged.
 */
export const listScript = `${existing}${enter}
[ -r . ] || exit 44
if stat -c %n / >/dev/null 2>&1
then find . ! -name . -prune ! -name '.svc-upload-*' -exec stat -c '%f %s %Y %n' {} + 2>/dev/null
else find . ! -name . -prune ! -name '.svc-upload-*' -exec stat -f '%Xp %z %m %N' {} + 2>/dev/null
fi
exit 0`;

/** Names end with NUL. Folders that tools fill are skipped. */
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

/** \`$3\`: first byte, \`$4\`: number of bytes. */
export const readScript = `${existing}
[ -f "$real" ] || exit 42
command exec 3<"$real" || exit 44
# What was opened, not what the path leads to by now; macOS cannot check it.
if opened=$(readlink "/proc/self/fd/3"); then case "$opened" in "$root"/*) ;; *) exit 41 ;; esac; fi
if [ "$3" = 0 ]; then exec head -c "$4" <&3; fi
tail -c "+$(($3 + 1))" <&3 | head -c "$4"`;

export const archiveScript = `${existing}${enter}
tar -cf - .
# 1: a file changed while it was read.
[ $? -le 1 ]`;

/**
 * Writes standard input to the temporary name \`$3\` beside the final name \`$4\`, in a folder that
 * is created when missing. Its first existing parent must be inside, or a link could lead out of
 * the workspace.
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

/** Renames the received \`$3\` to \`$4\` atomically. */
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
 * Replaces the text of \`$2\` by standard input, atomically and with the file's mode; \`$3\` is a
 * temporary name beside it. A link is followed and must lead to a place inside.
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

export type FileKind = 'file' | 'dir' | 'symlink' | 'other';

export interface FileEntry {
  readonly name: string;
  readonly type: FileKind;
  readonly size: number;
  readonly modifiedAt: string;
}

const kindMask = 0o170000;
const kinds: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'dir'],
  [0o120000, 'symlink'],
]);

export function kindOfMode(hexMode: string): FileKind {
  return kinds.get(Number.parseInt(hexMode, 16) & kindMask) ?? 'other';
}

export interface ParsedEntries {
  readonly entries: readonly FileEntry[];
  /** Whether the text has more entries than the limit. */
  readonly isTruncated: boolean;
}

/**
 * The first entries of the output of the list script: folders first, then by name. Skips an
 * incomplete last line. Keeps twice the limit at most: a hostile text has a million entries.
 */
export function parseEntries(text: string, limit: number): ParsedEntries {
  const entries: FileEntry[] = [];
  let found = 0;
  const record = /^([0-9a-fA-F]+) (\d+) (-?\d+) \.\/([^/]*)\n(?=[0-9a-fA-F]+ \d+ -?\d+ \.\/|$(?![\s\S]))/gm;
  for (const [, mode = '', size, modified, name = ''] of text.matchAll(record)) {
    const modifiedAt = new Date(Number(modified) * 1_000).toISOString();
    entries.push({ name, type: kindOfMode(mode), size: Number(size), modifiedAt });
    found += 1;
    if (entries.length === 2 * limit) keepFirst(entries, limit);
  }
  keepFirst(entries, limit);
  return { entries, isTruncated: found > limit };
}

function keepFirst(entries: FileEntry[], limit: number): void {
  entries.sort(byKindAndName).splice(limit);
}

function byKindAndName(one: FileEntry, other: FileEntry): number {
  const folders = Number(other.type === 'dir') - Number(one.type === 'dir');
  if (folders !== 0) return folders;
  return one.name < other.name ? -1 : 1;
}
