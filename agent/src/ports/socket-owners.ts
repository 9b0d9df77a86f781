import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** After this many searches, a socket without an owner counts as the machine's. */
const maxSearches = 3;

interface KnownOwner {
  readonly owner: string | null;
  readonly searches: number;
}

/** Process ids of each workspace. */
export type ProcessesOf = () => Promise<ReadonlyMap<string, readonly number[]>>;

/**
 * Finds the workspace whose process has a socket open. Results are kept while the socket exists, so
 * that an idle machine is not searched again.
 */
export class SocketOwners {
  private known = new Map<string, KnownOwner>();

  constructor(private readonly procFolder: string) {}

  /**
   * Workspaces by socket inode.
   * @param mustSearch also searches for owners that were not found before
   */
  async resolve(
    inodes: readonly string[],
    processesOf: ProcessesOf,
    { mustSearch }: { readonly mustSearch: boolean },
  ): Promise<ReadonlyMap<string, string>> {
    const isOpen = (inode: string) => {
      const known = this.known.get(inode);
      return !known || (known.owner === null && (mustSearch || known.searches < maxSearches));
    };
    const open = new Set(inodes.filter(isOpen));
    const found = open.size > 0 ? await this.search(open, await processesOf()) : new Map<string, string>();
    const next = new Map<string, KnownOwner>();
    for (const inode of inodes) {
      const before = this.known.get(inode);
      const owner = before?.owner ?? found.get(inode) ?? null;
      next.set(inode, { owner, searches: (before?.searches ?? 0) + 1 });
    }
    this.known = next;
    return new Map([...next].flatMap(([inode, { owner }]) => (owner === null ? [] : [[inode, owner]])));
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
  private async search(inodes: ReadonlySet<string>, processes: ReadonlyMap<string, readonly number[]>) {
    const found = new Map<string, string>();
    for (const [owner, pids] of processes) {
      for (const pid of pids) {
        for (const inode of await this.socketsOf(pid)) if (inodes.has(inode)) found.set(inode, owner);
      }
    }
    return found;
  }

  /** A synchronous readlink takes microseconds, through promises many times that. */
  private async socketsOf(pid: number): Promise<string[]> {
    const folder = join(this.procFolder, String(pid), 'fd');
    const names = await readdir(folder).catch(() => []);
    return names.flatMap((name) => {
      try {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, name)))?.[1];
        return inode ? [inode] : [];
      } catch {
        // The descriptor was closed, or the process has exited.
        return [];
      }
    });
  }
}
