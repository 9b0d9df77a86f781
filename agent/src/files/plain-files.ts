import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { WorkspaceProcesses } from '../ports/workspace-processes.js';
import type { WorkspaceRunner } from '../workspaces/runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { FileStat } from './files.js';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Linux's O_PATH, which Node does not name: a handle to a path without opening the file. */
const O_PATH = 0o10000000;

/** Where this process finds the files of a workspace. */
export interface FileRoot {
  readonly folder: string;
  /** The path of that folder in the workspace. */
  readonly path: string;
  /** User whose files may be read by owner rights; null: only files that everybody may read. */
  readonly reader: number | null;
  /** Whether the folder still belongs to the workspace. */
  readonly isCurrent: () => Promise<boolean>;
}

/**
 * Opens a regular file without a program in the workspace, when no part of the path is a link and
 * the workspace's user may read it. Returns null otherwise, and where the system lacks O_PATH. Each
 * part is looked up in the parent's handle, so that nothing can be exchanged on the way, and the
 * file is opened only once it is known to be a regular file, not a device or a pipe.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
export async function openPlainFile(
  { folder, reader, isCurrent }: FileRoot,
  names: readonly string[],
): Promise<FileHandle | null> {
  let here: FileHandle | null = null;
  try {
    here = await open(folder, O_PATH | O_DIRECTORY);
    if (!(await isCurrent())) return null;
    for (const [index, name] of names.entries()) {
      if (!isGranted(await here.stat({ bigint: true }), reader, 0o111n)) return null;
      const kind = index < names.length - 1 ? O_DIRECTORY : 0;
      const next: FileHandle = await open(`${held(here)}/${name}`, O_PATH | O_NOFOLLOW | kind);
      await here.close();
      here = next;
    }
    const facts = await here.stat({ bigint: true });
    if (!facts.isFile() || !isGranted(facts, reader, 0o444n)) return null;
    // Non-blocking: another process may hold a lease on the file.
    return await open(held(here), O_RDONLY | O_NONBLOCK);
  } catch {
    // The program in the workspace will report what is wrong.
    return null;
  } finally {
    await here?.close();
  }
}

/** The kernel's path to a handle, independent of the file's current path. */
function held({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function isGranted({ uid, mode }: BigIntStats, reader: number | null, right: bigint): boolean {
  const wanted = reader !== null && uid === BigInt(reader) ? right & 0o700n : right;
  return (mode & wanted) === wanted;
}

/** The caller disposes of it. */
export interface PlainFile extends AsyncDisposable {
  readonly facts: FileStat;
  readonly handle: FileHandle;
}

/**
 * Files of workspaces that the agent can read itself, which is faster than a program in the
 * workspace.
 */
export class PlainFiles {
  /** @param rootOf returns null where the files cannot be reached */
  constructor(private readonly rootOf: (workspace: Workspace) => Promise<FileRoot | null>) {}

  /** @returns null when a program in the workspace must be used, also for errors in the path */
  async open(workspace: Workspace, absolute: string): Promise<PlainFile | null> {
    const root = await this.rootOf(workspace);
    if (!root) return null;
    const names = posix.relative(root.path, absolute).split('/');
    if (names.includes('..')) return null;
    const handle = await openPlainFile(root, names);
    if (!handle) return null;
    const { size, mtimeMs, ino } = await handle.stat({ bigint: true });
    return {
      handle,
      facts: {
        kind: 'file',
        size: Number(size),
        modifiedAt: new Date(Number(mtimeMs)),
        inode: String(ino),
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }
}

/** In the standalone role the agent's user owns the files of workspaces. */
export function localFileRoots(runner: Pick<WorkspaceRunner, 'place'>) {
  return async (workspace: Workspace): Promise<FileRoot> => {
    const { root } = runner.place(workspace);
    return { folder: root, path: root, reader: process.getuid?.() ?? null, isCurrent: async () => true };
  };
}

/** The root folder of the container's first process. The workspace's user is not known here. */
export function containerFileRoots(processes: Pick<WorkspaceProcesses, 'leader'>, procFolder: string) {
  return async ({ workspaceId }: Workspace): Promise<FileRoot | null> => {
    const pid = await processes.leader(workspaceId);
    if (pid === null) return null;
    const isCurrent = async () => (await processes.leader(workspaceId)) === pid;
    return { folder: join(procFolder, String(pid), 'root'), path: '/', reader: null, isCurrent: isCurrent };
  };
}
