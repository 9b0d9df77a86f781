import type { Readable } from 'node:stream';
import type { ArchiveReader, ArchiveWriter } from './archive.js';
import { describeFiles, hashOfListing, type ListedFile, listFiles } from './file-listing.js';
import { captureSettings, restoreSettings } from './home-settings.js';
import { addSections } from './section-writer.js';
import type { FoundEntry, SnapshotBudget } from './snapshot-budget.js';
import { belongsToSnapshot, excludedFromHome, isSettingsFile, priorityInHome } from './snapshot-rules.js';
import { packFiles, type WorkspaceShell } from './workspace-shell.js';

/** Prints the folders with agent state, `name<tab>path` a line: the home, and relocated ones. */
const rootsScript = `
home=$(cd "\${HOME:?}" && pwd -P) || exit 1
printf 'home\\t%s\\n' "$home"
outside() {
  [ -n "$2" ] && [ -d "$2" ] || return 0
  real=$(cd "$2" && pwd -P) || return 0
  case "$real/" in "$home"/*) ;; *) printf '%s\\t%s\\n' "$1" "$real" ;; esac
}
outside claude "\${CLAUDE_CONFIG_DIR:-}"
outside codex "\${CODEX_HOME:-}"
outside opencode "\${XDG_DATA_HOME:+$XDG_DATA_HOME/opencode}"`;

/** Path of each root relative to a home, as the rules of snapshots name it. */
const nameInHome: Readonly<Record<string, string>> = {
  home: '',
  claude: '.claude/',
  codex: '.codex/',
  opencode: '.local/share/opencode/',
};

/** `$1`: folder of the workspace. A home may contain it; it is captured by git. */
const listScript = (excluded: readonly string[]) => `
find . -xdev \\( -name node_modules -o -path "$1" ${excluded.map((path) => `-o -path './${path}'`).join(' ')} \\) -prune \\
  -o ! -type d -print0 2>/dev/null | ${describeFiles}`;

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

export async function listHome(shell: WorkspaceShell): Promise<HomeListing> {
  const folders: HomeFolder[] = [];
  for (const { name, path } of await homeRoots(shell))
    folders.push({ name, path, files: await list(shell, name, path) });
  return { folders, hash: hashOfListing(folders) };
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

async function list(shell: WorkspaceShell, root: string, folder: string): Promise<ListedFile[]> {
  const prefix = nameInHome[root] ?? '';
  const excluded = excludedFromHome.flatMap((path) =>
    path.startsWith(prefix) && path.length > prefix.length ? [path.slice(prefix.length)] : [],
  );
  const { root: workspaceRoot } = shell.place;
  const own = workspaceRoot.startsWith(`${folder}/`)
    ? `.${workspaceRoot.slice(folder.length)}`
    : './.svc-none';
  const found = await listFiles(shell, { text: listScript(excluded), args: [own], workDir: folder });
  const priority = ({ path }: FoundEntry) => priorityInHome(`${prefix}${path}`);
  return found
    .filter(({ path }) => belongsToSnapshot(`${prefix}${path}`))
    .sort((a, b) => priority(a) - priority(b));
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

/** `tar` does not read the zeros that fill the last record. */
const unpackScript = 'tar -xpof - && exec cat >/dev/null';

/** Restores permissions, not owners. */
export async function unpack(shell: WorkspaceShell, folder: string, tar: Readable): Promise<void> {
  await shell.read({ text: unpackScript, workDir: folder, input: tar });
}
