import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The path of a program that PATH leads to, or null. */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder && isThere) return path;
  }
  return null;
}

/** The program and what its path leads to, as far as a sandbox does not see them anyway. */
export async function programPaths(path: string): Promise<string[]> {
  const paths = new Set([path, await realpath(path)]);
  return [...paths].filter((found) => !/^\/(?:usr|bin|sbin|opt\/berth|nix\/store)\//.test(found));
}
