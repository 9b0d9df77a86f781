import { createHash } from 'node:crypto';
import { offlineGit } from '../git/hardened-git.js';
import { repositoryFolders, treesOf } from './capture-repositories.js';
import { listFileModes } from './file-modes.js';
import { homeEntries } from './home.js';
import { listLooseFiles } from './loose-files.js';
import { namesEndedByNul, type ShellScript, type WorkspaceShell } from './workspace-shell.js';

/** Times of content and of attributes, so that a change of the same size is seen. */
const statNames = `
if stat -c %n / >/dev/null 2>&1; then exec xargs -0 -r stat -c '%n %f %s %y %z'
else exec xargs -0 stat -f '%N %Xp %z %Fm %Fc'; fi`;

const treeScript = offlineGit(`
GIT_OPTIONAL_LOCKS=1 git update-index -q --refresh >/dev/null 2>&1
git status --porcelain=v2 -z --untracked-files=all --no-renames --ignore-submodules=dirty
git for-each-ref
${listFileModes}
git ls-files -z --modified --others --exclude-standard | (${statNames}) 2>/dev/null
exit 0`);
const looseScript = offlineGit(`
{ ${listLooseFiles}
} | (${statNames}) 2>/dev/null
exit 0`);

/**
 * Hash of all repositories as a snapshot captures them: commits, index, and names, sizes and times
 * of changed files and of loose files.
 */
export async function hashWork(shell: WorkspaceShell): Promise<string> {
  const hash = createHash('sha256');
  const { root } = shell.place;
  const add = async (script: ShellScript) => {
    for await (const chunk of await shell.stream(script)) hash.update(chunk as Buffer);
  };
  const trees: string[] = [];
  for (const { folder } of await repositoryFolders(shell)) {
    for (const { path } of await treesOf(shell, folder)) {
      hash.update(`${path}\n`);
      await add({ text: treeScript, workDir: path });
      trees.push(path.slice(root.length + 1));
    }
  }
  await add({ text: looseScript, args: trees, workDir: root });
  return hash.digest('hex');
}

/** Hash of names, sizes and times of the home as a snapshot captures it. */
export async function hashHome(shell: WorkspaceShell): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, entries } of await homeEntries(shell)) {
    hash.update(`${path}\n`);
    if (entries.length === 0) continue;
    const input = namesEndedByNul(entries.map((entry) => entry.path));
    for await (const chunk of await shell.stream({ text: statNames, workDir: path, input }))
      hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}
