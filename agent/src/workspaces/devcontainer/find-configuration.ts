import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from './build-failed.js';
import { insideRepository } from './inside-repository.js';

const maxBytes = 1024 ** 2;

/**
 * The repository's dev container configuration, as a path relative to it: the named one, or the first of the usual
 * places. Null when it has none.
 * @throws BuildFailed when the named one is missing, or the file is a link, too large or outside of the repository
 */
export async function findConfiguration(repository: string, name: string | null): Promise<string | null> {
  for (const path of name === null ? await usualPlaces(repository) : [named(name)]) {
    const found = await lstat(join(repository, path)).catch(() => null);
    if (!found || found.isDirectory()) continue;
    await insideRepository(repository, path, path);
    if (!found.isFile()) throw new BuildFailed(`${path} is not a plain file`);
    if (found.size > maxBytes) throw new BuildFailed(`${path} is larger than ${maxBytes / 1024} KB`);
    return path;
  }
  if (name !== null) throw new BuildFailed(`The repository has no ${named(name)}`);
  return null;
}

function named(name: string): string {
  return join('.devcontainer', name, 'devcontainer.json');
}

// https://containers.dev/implementors/spec/#devcontainerjson
async function usualPlaces(repository: string): Promise<string[]> {
  const entries = await readdir(join(repository, '.devcontainer'), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return [
    '.devcontainer/devcontainer.json',
    '.devcontainer.json',
    ...folders.sort().map((folder) => named(folder)),
  ];
}
