import { lstat, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { BuildFailed } from './build-failed.js';

const maxEntries = 10_000;

/**
 * Where `path` leads once all links are followed. What a build reads becomes part of an image that its repository
 * controls, so nothing outside of the repository may be read for it.
 * @throws BuildFailed when it leads out of the repository, or is not there
 */
export async function insideRepository(repository: string, path: string, what: string): Promise<string> {
  const target = await realpath(resolve(repository, path)).catch(() => null);
  if (target === null) throw new BuildFailed(`${what} is not in the repository`);
  const way = relative(await realpath(repository), target);
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    throw new BuildFailed(`${what} leads out of the repository`);
  return target;
}

/** The same for all that is in a folder, which is copied with its links followed. */
export async function folderInsideRepository(repository: string, path: string, what: string): Promise<void> {
  const folder = await insideRepository(repository, path, what);
  const names = (await readdir(folder, { recursive: true })).slice(0, maxEntries + 1);
  if (names.length > maxEntries) throw new BuildFailed(`${what} has more than ${maxEntries} files`);
  for (const name of names) {
    const entry = join(folder, name);
    if ((await lstat(entry)).isSymbolicLink()) await insideRepository(repository, entry, `${what}/${name}`);
  }
}
