import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ByteRange } from './byte-range.js';
import { type FileEntry, type FileKind, kindOfMode, parseEntries } from './file-entry.js';
import { archiveScript, findScript, listScript, readScript, statScript } from './file-scripts.js';
import { checkEnd, type WorkspaceCommands } from './workspace-commands.js';

const limits = {
  listMs: 10_000,
  listBytes: 16 * 1_024 * 1_024,
  listEntries: 1_000,
  findMs: 15_000,
  findFiles: 5_000,
  statMs: 10_000,
  readMs: 60_000,
  archiveMs: 30 * 60_000,
} as const;

export interface FileFacts {
  readonly kind: FileKind;
  readonly size: number;
  readonly modifiedAt: Date;
  readonly inode: string;
}

/** A path of a workspace: absolute, or from `folder` (its repository, or one of its worktrees). */
export interface FilePath {
  readonly path: string;
  readonly folder?: string | undefined;
}

/** The files of workspaces, read. All answers are bounded in size and time. */
export class Files {
  constructor(private readonly commands: WorkspaceCommands) {}

  async list(workspace: Workspace, path: FilePath) {
    const program = { argv: this.script(workspace, listScript, path), timeoutMs: limits.listMs };
    const { output, isTruncated, ...end } = await this.commands.collect(workspace, program, limits.listBytes);
    checkEnd(end);
    const entries: readonly FileEntry[] = parseEntries(output.toString());
    return {
      path: path.path,
      entries: entries.slice(0, limits.listEntries),
      truncated: isTruncated || entries.length > limits.listEntries,
    };
  }

  /** Names of files under a path whose path holds `query`, however it is cased. */
  async find(workspace: Workspace, path: FilePath, query: string) {
    const program = { argv: this.script(workspace, findScript, path), timeoutMs: limits.findMs };
    const { stdout, ended } = await this.commands.open(workspace, program);
    const files: string[] = [];
    for await (const name of namesOf(stdout)) {
      if (!name.toLowerCase().includes(query.toLowerCase())) continue;
      if (files.length === limits.findFiles) return { files: files.sort(), truncated: true };
      files.push(name);
    }
    checkEnd(await ended);
    return { files: files.sort(), truncated: false };
  }

  /** @throws AgentError not_found, or forbidden when it leads out of the workspace */
  async facts(workspace: Workspace, path: FilePath): Promise<FileFacts> {
    const program = { argv: this.script(workspace, statScript, path), timeoutMs: limits.statMs };
    const { output, ...end } = await this.commands.collect(workspace, program, 1_024);
    checkEnd(end);
    const [mode = '', size, modified, inode = ''] = output.toString().trim().split(' ');
    return {
      kind: kindOfMode(mode),
      size: Number(size),
      modifiedAt: new Date(Number(modified) * 1_000),
      inode,
    };
  }

  /** The bytes of a regular file, no faster than they are read; fails when the file turns out to be shorter. */
  async read(workspace: Workspace, path: FilePath, { start, length }: ByteRange): Promise<Readable> {
    const argv = this.script(workspace, readScript, path, String(start), String(length));
    const { stdout } = await this.commands.open(workspace, { argv, timeoutMs: limits.readMs });
    return Readable.from(exactly(stdout, length), { objectMode: false });
  }

  /** A folder as tar; the stream fails when tar does. */
  async archive(workspace: Workspace, path: FilePath): Promise<Readable> {
    const program = { argv: this.script(workspace, archiveScript, path), timeoutMs: limits.archiveMs };
    const { stdout, ended } = await this.commands.open(workspace, program);
    return checked(stdout, ended.then(checkEnd));
  }

  /** @throws AgentError forbidden for a path that is outside by its text alone */
  absolute(workspace: Workspace, { path, folder }: FilePath): string {
    const { root, workDir } = this.commands.place(workspace);
    const absolute = posix.resolve(folder ?? workDir, path);
    if (absolute === root || absolute.startsWith(`${root}/`)) return absolute;
    throw new AgentError('forbidden', 'The path leads out of the workspace');
  }

  private script(workspace: Workspace, script: string, path: FilePath, ...more: string[]): string[] {
    const { root } = this.commands.place(workspace);
    return ['/bin/sh', '-c', script, 'sh', root, this.absolute(workspace, path), ...more];
  }
}

/** Names that end with NUL and begin with `./`. */
async function* namesOf(stdout: Readable): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stdout) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let from = 0;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0, from)) {
      yield rest.subarray(from + 2, end).toString();
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
}

/** Generators pass on no more than is asked for. */
async function* checkedBytes(stdout: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  yield* stdout as AsyncIterable<Buffer>;
  await ended;
}

function checked(stdout: Readable, ended: Promise<void>): Readable {
  ended.catch(() => undefined);
  return Readable.from(checkedBytes(stdout, ended), { objectMode: false });
}

/** Less than was announced must break the connection: its client would wait for the rest. */
async function* exactly(stdout: Readable, length: number): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new Error('The file became shorter while it was read');
}
