import type { Readable } from 'node:stream';
import type { ArchiveReader } from './archive-reader.js';
import { homeRoots } from './capture-home.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** Unpacks what each root had. The new machine's own credentials stay: a snapshot holds none. */
export async function restoreHome(
  shell: WorkspaceShell,
  archive: ArchiveReader,
  roots: readonly string[],
): Promise<void> {
  const present = await homeRoots(shell);
  const home = present.find(({ name }) => name === 'home');
  if (!home) throw new Error('The workspace has no home');
  for (const name of roots) {
    const folder = present.find((root) => root.name === name)?.path;
    if (!folder) throw new Error(`This workspace keeps the state of ${name} elsewhere than the old one`);
    if (!archive.isEmpty(`home/${name}`)) await unpack(shell, folder, await archive.open(`home/${name}`));
  }
}

/** Owners of another machine mean nothing here; rights do. */
export async function unpack(shell: WorkspaceShell, folder: string, tar: Readable): Promise<void> {
  await shell.read({ text: 'exec tar -xpof -', workDir: folder, input: tar });
}
