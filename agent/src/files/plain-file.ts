import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Linux's O_PATH, for which Node has no name: a place in the tree is held, and nothing of it opened. */
const O_PATH = 0o10000000;

/** Where this process finds the files of a workspace. */
export interface FileRoot {
  readonly folder: string;
  /** What the workspace calls that folder. */
  readonly path: string;
  /** Whose files may be read by their owner's rights; null: only what everybody may read. */
  readonly reader: number | null;
  /** Whether the folder has been the workspace's all the time. */
  readonly isStill: () => Promise<boolean>;
}

/**
 * Opens a regular file without a program of the workspace, as long as nothing about it is in question: no part of the path
 * is a link, and whoever the workspace's user is may read it. Null for anything else, and where the system cannot do this.
 * Each part is looked up in the folder that is held already, so that nothing can be exchanged on the way, and the file is
 * opened only once it is known to be one: a device or a pipe is not touched.
 */
export async function openPlainFile(
  { folder, reader, isStill }: FileRoot,
  names: readonly string[],
): Promise<FileHandle | null> {
  let here: FileHandle | null = null;
  try {
    here = await open(folder, O_PATH | O_DIRECTORY);
    if (!(await isStill())) return null;
    for (const [index, name] of names.entries()) {
      if (!isGranted(await here.stat({ bigint: true }), reader, 0o111n)) return null;
      const kind = index < names.length - 1 ? O_DIRECTORY : 0;
      const next: FileHandle = await open(`${held(here)}/${name}`, O_PATH | O_NOFOLLOW | kind);
      await here.close();
      here = next;
    }
    const facts = await here.stat({ bigint: true });
    if (!facts.isFile() || !isGranted(facts, reader, 0o444n)) return null;
    // Without waiting: somebody may hold a lease on it.
    return await open(held(here), O_RDONLY | O_NONBLOCK);
  } catch {
    // What is wrong, and whether anything is, the workspace itself says.
    return null;
  } finally {
    await here?.close();
  }
}

/** The kernel's own way to what is held, whatever has become of its path. */
function held({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function isGranted({ uid, mode }: BigIntStats, reader: number | null, right: bigint): boolean {
  const wanted = reader !== null && uid === BigInt(reader) ? right & 0o700n : right;
  return (mode & wanted) === wanted;
}
