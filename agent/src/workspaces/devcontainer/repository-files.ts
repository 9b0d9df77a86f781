import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { jsonProblem } from '../../../../protocol/json-with-comments.js';
import { BuildFailed } from './build-output.js';

const maxBytes = 1024 ** 2;

/**
 * Finds the dev container configuration; returns its path relative to the repository: the named
 * one, or the first of the standard places. Null when there is none.
 * @throws BuildFailed when the named one is missing, or the file is a link, too large or outside of
 * the repository
 */
export async function findConfiguration(repository: string, name: string | null): Promise<string | null> {
  for (const path of name === null ? await usualPlaces(repository) : [named(name)])
    if (await isConfiguration(repository, path)) return path;
  if (name !== null) throw new BuildFailed(`${named(name)} does not exist in the repository`);
  return null;
}

/** @throws BuildFailed when the file exists and must not be read */
async function isConfiguration(repository: string, path: string): Promise<boolean> {
  const found = await lstat(join(repository, path)).catch(() => null);
  if (!found || found.isDirectory()) return false;
  await insideRepository(repository, path, path);
  if (!found.isFile()) throw new BuildFailed(`${path} is not a plain file`);
  if (found.size > maxBytes) throw new BuildFailed(`${path} is larger than ${maxBytes / 1024} KB`);
  return true;
}

/**
 * The dev container tool reads broken JSON without an error and leaves out parts of it.
 * @throws BuildFailed with line and column when the file is not JSON with comments
 */
export async function checkJson(repository: string, path: string): Promise<void> {
  const problem = jsonProblem(await readFile(join(repository, path), 'utf8'));
  if (!problem) return;
  const { line, column, message } = problem;
  throw new BuildFailed(`${path} is broken JSON at line ${line}, column ${column}: ${message}`);
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

/**
 * The absolute path of a file or folder of the repository.
 * @throws BuildFailed when it is outside of the repository, is missing, or contains a link
 */
export async function insideRepository(repository: string, path: string, what: string): Promise<string> {
  const root = await realpath(repository);
  const target = resolve(root, path);
  const way = relative(root, target);
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    throw new BuildFailed(`${what} is outside of the repository`);
  const found = await realpath(target).catch(() => null);
  if (found === null) throw new BuildFailed(`${what} does not exist in the repository`);
  if (found !== target)
    throw new BuildFailed(`${what} is a link or behind a link. Use the path of the file or folder itself`);
  return target;
}

/** @throws BuildFailed when the file exists and is not a plain file */
export async function plainIfThere(folder: string, name: string): Promise<boolean> {
  const found = await lstat(join(folder, name)).catch(() => null);
  if (found && !found.isFile()) throw new BuildFailed(`${name} is not a plain file`);
  return found !== null;
}
