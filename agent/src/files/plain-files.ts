import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Workspace } from '../workspaces/workspace.js';
import type { FileFacts } from './files.js';
import { type FileRoot, openPlainFile } from './plain-file.js';

/** To be closed by whoever asked for it. */
export interface PlainFile extends AsyncDisposable {
  readonly facts: FileFacts;
  readonly handle: FileHandle;
}

/** The files of workspaces that this process can read by itself, which is faster than by programs in the workspace. */
export class PlainFiles {
  /** @param rootOf null where the files are out of reach */
  constructor(private readonly rootOf: (workspace: Workspace) => Promise<FileRoot | null>) {}

  /** @returns null when the workspace has to be asked, also for what is wrong with the path */
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
