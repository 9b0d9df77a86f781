import { listHome } from './home.js';
import { hashOfWork } from './work-listing.js';
import type { CapturedHashes } from './workspace-capture.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** Which files have changed since the capture, in words; null: none. */
export async function changedFiles(shell: WorkspaceShell, hashes: CapturedHashes): Promise<string | null> {
  const [work, home] = await Promise.all([hashOfWork(shell), listHome(shell)]);
  if (work !== hashes.work) return 'Files of a repository changed';
  return home.hash === hashes.home ? null : 'Files of the home changed';
}
