import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../local/processes/file-lock.js';

/** As many stay however old they are: a change and its undo, or two branches, are built once. */
const keptCount = 4;
const unusedMs = 24 * 60 * 60 * 1000;
const unfinished = 'unfinished-';

/**
 * Folders that are made once. The key of a folder names everything that it is made from, so its
 * content never changes. Several processes can ask for one key: one of them makes the folder.
 */
export class ContentStore {
  constructor(private readonly parent: string) {}

  /**
   * The folder of the present key, which `make` fills where it is missing. A failure leaves
   * nothing, and so does a key that changes while the folder is made.
   */
  async keep(keyOf: () => string, make: (folder: string) => Promise<unknown>): Promise<string> {
    const key = keyOf();
    const folder = join(this.parent, key);
    const makeUnchanged = async (fresh: string) => {
      await make(fresh);
      if (keyOf() !== key) throw new Error('The sources changed while they were built. Build again.');
    };
    if (!existsSync(folder))
      await withFileLock(`${folder}.lock`, async () => {
        if (!existsSync(folder)) await this.make(folder, makeUnchanged);
      });
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  }

  private async make(folder: string, make: (folder: string) => Promise<unknown>): Promise<void> {
    this.removeUnused();
    // Beside its final place: relative paths in its files stay true.
    const fresh = mkdtempSync(join(this.parent, unfinished));
    try {
      await make(fresh);
      renameSync(fresh, folder);
    } catch (error) {
      // A folder of the same key has the same content, whoever made it.
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }

  private removeUnused(): void {
    mkdirSync(this.parent, { recursive: true });
    const folders = readdirSync(this.parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, usedAt: statSync(join(this.parent, name)).mtimeMs }))
      .toSorted((a, b) => b.usedAt - a.usedAt);
    for (const { name, usedAt } of folders.slice(keptCount))
      if (Date.now() - usedAt > unusedMs) rmSync(join(this.parent, name), { recursive: true, force: true });
  }
}
