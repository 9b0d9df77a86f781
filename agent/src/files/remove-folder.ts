import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const all = { recursive: true, force: true, maxRetries: 3 };

/**
 * Removes a folder with all that is in it; there being none is fine. Folders in it that are closed to writing, as tools
 * leave their caches, are opened first: only root can do without.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, all);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    await open(path);
    await rm(path, all);
  }
}

async function open(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await open(join(folder, entry.name));
}
