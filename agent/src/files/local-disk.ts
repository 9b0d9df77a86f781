import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const removeOptions = { recursive: true, force: true, maxRetries: 3 };

/**
 * Removes a folder with its contents; a missing folder is fine. Makes read-only folders, such as
 * caches of tools, writable first, unless the agent is root.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, removeOptions);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    await makeWritable(path);
    await rm(path, removeOptions);
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

/**
 * Replaces the file atomically, readable by its owner only: after a crash it has the old or the new
 * text.
 */
export async function writeFileAtomic(path: string, text: string, mode = 0o600): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await using file = await open(temporary, 'wx', mode);
    await file.writeFile(text);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await using handle = await open(folder, 'r');
  await handle.sync();
}
