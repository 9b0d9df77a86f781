import { Readable } from 'node:stream';
import type { FoundEntry } from './selection.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** As a tar, which fails when a file changed or went while it was read. */
export async function packFiles(
  shell: WorkspaceShell,
  folder: string,
  entries: readonly FoundEntry[],
): Promise<Readable> {
  if (entries.length === 0) return Readable.from([]);
  // A line each, and each begins with `./`: GNU tar and BusyBox both take that.
  const input = Buffer.from(entries.map(({ path }) => `./${path}\n`).join(''));
  return shell.stream({ text: 'exec tar -cf - -T -', workDir: folder, input });
}
