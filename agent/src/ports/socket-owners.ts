import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** For so many looks an owner is searched; what nobody of ours holds by then belongs to the machine. */
const looks = 3;

interface Known {
  readonly owner: string | null;
  readonly looks: number;
}

/** Process ids of each workspace. */
export type ProcessesOf = () => Promise<ReadonlyMap<string, readonly number[]>>;

/**
 * Proves to which workspace a socket of this machine belongs: one of its processes has it open. What is known stays
 * known while the socket lives, so that a quiet machine is not searched again and again.
 */
export class SocketOwners {
  private known = new Map<string, Known>();

  constructor(private readonly procFolder: string) {}

  /**
   * Workspaces by the inodes of their sockets.
   * @param mustLook also searches for owners that were not found before
   */
  async resolve(
    inodes: readonly string[],
    processesOf: ProcessesOf,
    { mustLook }: { readonly mustLook: boolean },
  ): Promise<ReadonlyMap<string, string>> {
    const isOpen = (inode: string) => {
      const known = this.known.get(inode);
      return !known || (known.owner === null && (mustLook || known.looks < looks));
    };
    const open = new Set(inodes.filter(isOpen));
    const found = open.size > 0 ? await this.search(open, await processesOf()) : new Map<string, string>();
    const next = new Map<string, Known>();
    for (const inode of inodes) {
      const before = this.known.get(inode);
      const owner = before?.owner ?? found.get(inode) ?? null;
      next.set(inode, { owner, looks: (before?.looks ?? 0) + 1 });
    }
    this.known = next;
    return new Map([...next].flatMap(([inode, { owner }]) => (owner === null ? [] : [[inode, owner]])));
  }

  private async search(inodes: ReadonlySet<string>, processes: ReadonlyMap<string, readonly number[]>) {
    const found = new Map<string, string>();
    for (const [owner, pids] of processes) {
      for (const pid of pids) {
        for (const inode of await this.socketsOf(pid)) if (inodes.has(inode)) found.set(inode, owner);
      }
    }
    return found;
  }

  /** A link costs microseconds to read at once and many times that by way of a promise. */
  private async socketsOf(pid: number): Promise<string[]> {
    const folder = join(this.procFolder, String(pid), 'fd');
    const names = await readdir(folder).catch(() => []);
    return names.flatMap((name) => {
      try {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, name)))?.[1];
        return inode ? [inode] : [];
      } catch {
        // Closed, or its process ended, meanwhile.
        return [];
      }
    });
  }
}
