import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Config } from '../config/config.js';
import { AgentError } from '../errors.js';
import { ByteBudget } from '../streams/byte-budget.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ByteRange } from './byte-range.js';
import {
  archiveScript,
  type FileKind,
  findScript,
  kindOfMode,
  listScript,
  parseEntries,
  readScript,
  statScript,
} from './file-scripts.js';
import { checkExit, outputSlackBytes, type WorkspaceCommands } from './workspace-commands.js';

const listBytes = 16 * 1_024 * 1_024;
/** The names of some million files. They are read piece by piece. */
const findBytes = 256 * 1_024 * 1_024;
/** Limits of the names that a search returns, and of one name. */
const foundBytes = 16 * 1_024 * 1_024;
const nameBytes = 1_024 * 1_024;
const statMs = 10_000;

export type FileLimits = Config['files'];

/** Part of a file, and the timeout for reading it. */
export interface PartToRead extends ByteRange {
  readonly timeoutMs: number;
}

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  readonly modifiedAt: Date;
  readonly inode: string;
}

/** A path in a workspace: absolute, or relative to `folder` (the repository or a worktree). */
export interface FilePath {
  readonly path: string;
  readonly folder?: string | undefined;
}

/** Reads files of workspaces. All answers are limited in size and time. */
export class Files {
  constructor(
    private readonly commands: WorkspaceCommands,
    readonly limits: FileLimits,
  ) {}

  async list(workspace: Workspace, path: FilePath) {
    const program = { ...this.script(workspace, listScript, path), timeoutMs: this.limits.listMs };
    const { output, isTruncated, ...end } = await this.commands.collectRequested(
      workspace,
      program,
      listBytes,
    );
    checkExit(end);
    const found = parseEntries(output.toString(), this.limits.listEntries);
    return { path: path.path, entries: found.entries, truncated: isTruncated || found.isTruncated };
  }

  /** Finds files whose path contains `query`, ignoring case. */
  find(workspace: Workspace, path: FilePath, query: string) {
    return this.commands.requested(workspace, () => this.search(workspace, path, query));
  }

  private async search(workspace: Workspace, path: FilePath, query: string) {
    const { findFiles, findMs: timeoutMs } = this.limits;
    const script = this.script(workspace, findScript, path);
    const program = { ...script, timeoutMs, outputBytes: findBytes };
    const { stdout, ended } = await this.commands.open(workspace, program);
    const files: string[] = [];
    const kept = new ByteBudget(foundBytes);
    for await (const name of namesWith(query.toLowerCase(), stdout)) {
      kept.count(name.length);
      if (files.length === findFiles || kept.failure) return { files: files.sort(), truncated: true };
      files.push(name);
    }
    checkExit(await ended);
    return { files: files.sort(), truncated: false };
  }

  /** @throws AgentError not_found, or forbidden when the path leads out of the workspace */
  async facts(workspace: Workspace, path: FilePath): Promise<FileStat> {
    const program = { ...this.script(workspace, statScript, path), timeoutMs: statMs };
    const { output, ...end } = await this.commands.collect(workspace, program, 1_024);
    checkExit(end);
    const [mode = '', size, modified, inode = ''] = output.toString().trim().split(' ');
    return {
      kind: kindOfMode(mode),
      size: Number(size),
      modifiedAt: new Date(Number(modified) * 1_000),
      inode,
    };
  }

  /** Streams bytes of a regular file with backpressure; fails when the file becomes shorter. */
  async read(workspace: Workspace, path: FilePath, part: PartToRead): Promise<Readable> {
    const { start, length, timeoutMs } = part;
    const script = this.script(workspace, readScript, path, String(start), String(length));
    const outputBytes = length + outputSlackBytes;
    const { stdout } = await this.commands.open(workspace, { ...script, timeoutMs, outputBytes });
    return Readable.from(exactly(stdout, length), { objectMode: false });
  }

  /** Streams a folder as tar; the stream fails when tar does. */
  async archive(workspace: Workspace, path: FilePath): Promise<Readable> {
    const { archiveMs: timeoutMs, archiveBytes: outputBytes } = this.limits;
    const program = { ...this.script(workspace, archiveScript, path), timeoutMs, outputBytes };
    const { stdout, ended } = await this.commands.open(workspace, program);
    return checked(stdout, ended.then(checkExit));
  }

  /** @throws AgentError forbidden when the text of the path leads out of the workspace */
  absolute(workspace: Workspace, { path, folder }: FilePath): string {
    const { root, workDir } = this.commands.place(workspace);
    const absolute = posix.resolve(folder ?? workDir, path);
    if (absolute === root || absolute.startsWith(`${root}/`)) return absolute;
    throw new AgentError('forbidden', 'The path leads out of the workspace');
  }

  /**
   * A script with root and path before its own arguments. It runs in the repository or worktree
   * when the path is inside, and fails when that folder is gone.
   */

  // biome-ignore lint/complexity/useMaxParams: four plain values that share no name
  script(workspace: Workspace, script: string, path: FilePath, ...more: string[]) {
    const { root, workDir } = this.commands.place(workspace);
    const absolute = this.absolute(workspace, path);
    const folder = path.folder ?? workDir;
    const isInside = absolute === folder || absolute.startsWith(`${folder}/`);
    return {
      argv: ['/bin/sh', '-c', script, 'sh', root, absolute, ...more],
      ...(isInside ? { workDir: folder } : {}),
    };
  }
}

/** Of the NUL-terminated names, those that contain the text. */
async function* namesWith(wanted: string, stdout: Readable): AsyncGenerator<string> {
  for await (const text of wholeNames(stdout)) {
    // Most chunks contain no match: test the chunk before splitting it.
    if (!text.toLowerCase().includes(wanted)) continue;
    for (const name of text.split('\0')) {
      const path = name.slice(2);
      if (path.toLowerCase().includes(wanted)) yield path;
    }
  }
}

/** Chunks of whole names, without the last NUL. */
async function* wholeNames(stdout: Readable): AsyncGenerator<string> {
  const rest: Buffer[] = [];
  let budget = nameBudget();
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(0);
    if (end < 0) {
      budget.take(chunk.length);
      rest.push(chunk);
      continue;
    }
    yield Buffer.concat([...rest, chunk.subarray(0, end)]).toString();
    budget = nameBudget();
    rest.splice(0, rest.length, chunk.subarray(end + 1));
  }
}

function nameBudget(): ByteBudget {
  return new ByteBudget(nameBytes, 'The name of a file in the workspace');
}

/** A generator passes on no more than its reader requests. */
async function* checkedBytes(stdout: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  yield* stdout as AsyncIterable<Buffer>;
  await ended;
}

function checked(stdout: Readable, ended: Promise<void>): Readable {
  ended.catch(() => undefined);
  return Readable.from(checkedBytes(stdout, ended), { objectMode: false });
}

/**
 * Too few bytes must break the connection, because the client waits for the announced length. More
 * bytes would be read as another response.
 */
async function* exactly(stdout: Readable, length: number): AsyncGenerator<Buffer> {
  const budget = new ByteBudget(length, 'The file grew during the read. It');
  let left = length;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    budget.take(chunk.length);
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw new Error('The file changed during the read');
}
