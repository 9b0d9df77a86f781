import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A checkout of the commit in a folder of its own, with the packages and the emulator of this one,
 * so that no mutant is ever in the sources that a person edits.
 */
export function makeTree(root: string, commit: string): string {
  const tree = join(root, '.cache/mutants');
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: root, stdio: 'pipe' });
  if (existsSync(tree)) git('worktree', 'remove', '--force', tree);
  rmSync(tree, { recursive: true, force: true });
  git('worktree', 'prune');
  git('worktree', 'add', '--detach', tree, commit);
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  mkdirSync(join(tree, '.berth'), { mode: 0o700 });
  symlinkSync(join(root, '.berth/venv'), join(tree, '.berth/venv'));
  return tree;
}
