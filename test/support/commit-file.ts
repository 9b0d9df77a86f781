import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

interface NewFile {
  readonly path: string;
  readonly content: string;
  readonly branch?: string;
}

/** Commits a file on top of `main` of a bare repository, as `main` or as a branch of its own. */
export function commitFile(repository: string, { path, content, branch = 'main' }: NewFile): void {
  const index = join(repository, `index-${randomUUID()}`);
  const person = { NAME: 'Octo Cat', EMAIL: 'octo@example.com' };
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_INDEX_FILE: index,
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) =>
        Object.entries(person).map(([field, value]) => [`GIT_${who}_${field}`, value]),
      ),
    ),
  };
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['--git-dir', repository, ...args], { env, input, encoding: 'utf8' }).trim();
  try {
    git(['read-tree', 'main']);
    const blob = git(['hash-object', '-w', '--stdin'], content);
    git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    const commit = git(['commit-tree', git(['write-tree']), '-p', 'main', '-m', `Add ${path}`]);
    git(['update-ref', `refs/heads/${branch}`, commit]);
  } finally {
    rmSync(index, { force: true });
  }
}
