import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { BuildFailed } from './build-failed.js';

/**
 * The absolute path of a file or folder of the repository.
 * @throws BuildFailed when it is outside of the repository, is missing, or when a part of the path is a link
 */
export async function insideRepository(repository: string, path: string, what: string): Promise<string> {
  const root = await realpath(repository);
  const target = resolve(root, path);
  const way = relative(root, target);
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    throw new BuildFailed(`${what} leads out of the repository`);
  const found = await realpath(target).catch(() => null);
  if (found === null) throw new BuildFailed(`${what} is not in the repository`);
  if (found !== target)
    throw new BuildFailed(`${what} is a link or lies behind one; name the file or folder itself`);
  return target;
}

/** @throws BuildFailed when the file is there and is not a plain file */
export async function plainIfThere(folder: string, name: string): Promise<boolean> {
  const found = await lstat(join(folder, name)).catch(() => null);
  if (found && !found.isFile()) throw new BuildFailed(`${name} is not a plain file`);
  return found !== null;
}
