import type { Readable } from 'node:stream';
import type { ArchiveReader, ArchiveWriter } from './archive.js';
import { describeFiles, hashOfListing, type ListedFile, parseFiles } from './file-listing.js';
import { captureSettings, restoreSettings } from './home-settings.js';
import { printMark, splitAt } from './marked-parts.js';
import { addSections } from './section-writer.js';
import type { FoundEntry, SnapshotBudget } from './snapshot-budget.js';
import { belongsToSnapshot, excludedFromHome, isSettingsFile, priorityInHome } from './snapshot-rules.js';
import { packFiles, type WorkspaceShell } from './workspace-shell.js';

/** Calls `root` with name and path of the home, and of each other folder with agent state. */
const eachRoot = `
home=$(cd "\${HOME:?}" && pwd -P) || exit 1
outside() {
  [ -n "$2" ] && [ -d "$2" ] || return 0
  real=$(cd "$2" && pwd -P) || return 0
  case "$real/" in "$home"/*) ;; *) root "$1" "$real" ;; esac
}
root home "$home"
outside claude "\${CLAUDE_CONFIG_DIR:-}"
outside codex "\${CODEX_HOME:-}"
outside opencode "\${XDG_DATA_HOME:+$XDG_DATA_HOME/opencode}"`;
const rootsScript = `root() { printf '%s\\t%s\\n' "$1" "$2"; }${eachRoot}`;

/** Path of each root relative to a home, as the rules of snapshots name it. */
const nameInHome: Readonly<Record<string, string>> = {
  home: '',
  claude: '.claude/',
  codex: '.codex/',
  opencode: '.local/share/opencode/',
};

/** Prints the names in one root, without caches and credentials, which are not searched. */
function findIn(root: string, prefix: string): string {
  const excluded = excludedFromHome.flatMap((path) =>
    path.startsWith(prefix) && path.length > prefix.length ? [path.slice(prefix.length)] : [],
  );
  const paths = excluded.map((path) => `-o -path './${path}'`).join(' ');
  return `${root}) find . -xdev \\( -name node_modules -o -path "$own" ${paths} \\) -prune -o ! -type d -print0 2>/dev/null ;;`;
}

const mark = '\0//\0';
const rootMark = '\0///\0';

/** `$1`: folder of the workspace. A home may contain it; it is captured by git. */
const listScript = `
workspace=$1
root() {
  printf '%s\\t%s' "$1" "$2"
  ${printMark(mark)}
  case $workspace in "$2"/*) own=.\${workspace#"$2"} ;; *) own=./.svc-none ;; esac
  (cd -P -- "$2" || exit
  case $1 in
${Object.entries(nameInHome)
  .map(([root, prefix]) => findIn(root, prefix))
  .join('\n')}
  esac | ${describeFiles}) || exit
  ${printMark(rootMark)}
}${eachRoot}`;

interface CapturedHome {
  readonly entries: number;
  readonly roots: readonly string[];
}

interface HomeFolder {
  /** Name of the root. */
  readonly name: string;
  readonly path: string;
  readonly files: readonly ListedFile[];
}

/** What a snapshot captures of the home, within no limits. */
export interface HomeListing {
  readonly folders: readonly HomeFolder[];
  /** Of names, sizes and times. */
  readonly hash: string;
}

/** One script for all roots: its start takes longer than a small one. */
export async function listHome(shell: WorkspaceShell): Promise<HomeListing> {
  const { root: workDir } = shell.place;
  const printed = await shell.read({ text: listScript, args: [workDir], workDir });
  const folders = splitAt(printed, rootMark)
    .slice(0, -1)
    .map((part) => parseRoot(splitAt(part, mark)));
  if (folders[0]?.name !== 'home') throw new Error('The home could not be listed');
  return { folders, hash: hashOfListing(folders) };
}

/** Files of harnesses first. */
function parseRoot([root = Buffer.alloc(0), listed = Buffer.alloc(0)]: readonly Buffer[]): HomeFolder {
  const [name = '', path = ''] = root.toString().split('\t');
  const prefix = nameInHome[name] ?? '';
  const priority = (file: FoundEntry) => priorityInHome(`${prefix}${file.path}`);
  const files = parseFiles(listed)
    .filter((file) => belongsToSnapshot(`${prefix}${file.path}`))
    .sort((a, b) => priority(a) - priority(b));
  return { name, path, files };
}

/** Captures the home without caches and credentials. */
export async function captureHome(
  shell: WorkspaceShell,
  archive: ArchiveWriter,
  { folders, budget }: { readonly folders: readonly HomeFolder[]; readonly budget: SnapshotBudget },
): Promise<CapturedHome> {
  let count = 0;
  for (const { name, path, files } of folders) {
    const prefix = nameInHome[name] ?? '';
    const isSettings = (entry: FoundEntry) => isFile(entry) && isSettingsFile(`${prefix}${entry.path}`);
    const selected = budget.select(files, `~/${prefix}`);
    const others = selected.filter((entry) => !isSettings(entry));
    await addSections(archive, [{ name: `home/${name}`, content: packFiles(shell, path, others) }]);
    const settings = { section: `home/${name}/settings`, folder: path, files: selected.filter(isSettings) };
    await captureSettings(shell, archive, settings);
    count += selected.length;
  }
  return { entries: count, roots: folders.map(({ name }) => name) };
}

const isFile = ({ mode }: FoundEntry): boolean => (mode & 0o170_000) === 0o100_000;

async function homeRoots(shell: WorkspaceShell) {
  const lines = await shell.lines({ text: rootsScript, workDir: shell.place.root });
  return lines.flatMap((line) => {
    const [name = '', path = ''] = line.split('\t');
    return name in nameInHome && path.startsWith('/') ? [{ name, path }] : [];
  });
}

/** Unpacks each root. Credential files of the new machine are not overwritten. */
export async function restoreHome(
  shell: WorkspaceShell,
  archive: ArchiveReader,
  roots: readonly string[],
): Promise<void> {
  const present = await homeRoots(shell);
  const home = present.find(({ name }) => name === 'home');
  if (!home) throw new Error('The workspace has no home');
  for (const name of roots) {
    const folder = present.find((root) => root.name === name)?.path;
    if (!folder) throw new Error(`Folder of ${name} differs from that of the captured workspace`);
    if (!archive.isEmpty(`home/${name}`)) await unpack(shell, folder, await archive.open(`home/${name}`));
    const prefix = nameInHome[name] ?? '';
    await restoreSettings(shell, archive, { section: `home/${name}/settings`, folder, prefix });
  }
}

/**
 * `tar` does not read the zeros that fill the last record. GNU tar, which alone reads the variable,
 * reads 256 KiB a call.
 */
export const unpackScript = 'TAR_OPTIONS=-b512 tar -xpof - && cat >/dev/null';

/** Restores permissions, not owners. */
export async function unpack(shell: WorkspaceShell, folder: string, tar: Readable): Promise<void> {
  await shell.read({ text: unpackScript, workDir: folder, input: tar });
}
