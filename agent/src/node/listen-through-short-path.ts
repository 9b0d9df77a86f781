import { mkdtemp, rm, symlink } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Listens at `<folder>/<name>` through a short symbolic link: socket paths have at most about 100
 * bytes.
 */
export async function listenThroughShortPath(server: Server, folder: string, name: string): Promise<void> {
  const short = await mkdtemp(join(tmpdir(), 'svc-'));
  try {
    await symlink(folder, join(short, 'd'));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(join(short, 'd', name), resolve);
    });
  } finally {
    await rm(short, { recursive: true, force: true });
  }
}
