import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkExit, type WorkspaceCommands } from '../files/workspace-commands.js';
import type { CommandExit } from '../workspaces/runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import { markedScript, WithoutEndMark } from './end-mark.js';
import type { Section } from './section-writer.js';
import type { FoundEntry } from './snapshot-budget.js';

const timeoutMs = 10 * 60_000;
/** Codes of a script that reads no more input. */
const endOfReader = /^(?:EPIPE|ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/;
/** Of what a script prints to be read as a whole. */
export const listLimitBytes = 64 * 1_024 * 1_024;

export interface ShellScript {
  readonly text: string;
  readonly args?: readonly string[];
  readonly workDir: string;
  readonly input?: Readable | Buffer;
}

export interface ListScript extends ShellScript {
  /** Of the output. Default: 64 MiB. */
  readonly limitBytes?: number;
}

interface StreamScript extends ShellScript {
  readonly limitBytes: number;
}

/** Runs the scripts of snapshots in one workspace, as its user. */
export class WorkspaceShell {
  constructor(
    private readonly commands: WorkspaceCommands,
    readonly workspace: Workspace,
    /** Ends the running script, and begins none after it. */
    readonly signal: AbortSignal,
  ) {}

  get place() {
    return this.commands.place(this.workspace);
  }

  /** The whole output. @throws when the script fails */
  async read(script: ListScript): Promise<Buffer> {
    const { end, output } = await this.run(script);
    checkExit(end);
    return output;
  }

  /** The non-empty lines of the output. */
  async lines(script: ListScript): Promise<string[]> {
    return (await this.read(script)).toString().split('\n').filter(Boolean);
  }

  /** The output split at NUL. */
  async names(script: ListScript): Promise<string[]> {
    return (await this.read(script)).toString().split('\0').filter(Boolean);
  }

  /** Does not throw when the script fails. */
  async run(script: ListScript): Promise<{ readonly end: CommandExit; readonly output: Buffer }> {
    const running = await this.open({ limitBytes: listLimitBytes, ...script });
    const chunks: Buffer[] = [];
    const content = new WithoutEndMark();
    pipeline(running.stdout, content).catch((error: Error) => content.destroy(error));
    for await (const chunk of content) chunks.push(chunk as Buffer);
    const end = await running.ended;
    content.check(end.exitCode);
    return { end, output: Buffer.concat(chunks) };
  }

  /** Streams the output. The stream fails when the script fails. */
  async stream(script: StreamScript): Promise<Readable> {
    const running = await this.open(script);
    const content = new WithoutEndMark(async () => {
      const { exitCode, stderr } = await running.ended;
      if (exitCode !== 0) throw new Error(`Snapshot script exited with ${exitCode}: ${stderr.slice(-300)}`);
      content.check(exitCode);
    });
    pipeline(running.stdout, content).catch((error: Error) => content.destroy(error));
    return content;
  }

  private async open({ text, args = [], workDir, input, limitBytes }: StreamScript) {
    const { signal } = this;
    signal.throwIfAborted();
    const running = await this.commands.open(this.workspace, {
      argv: markedScript(text, args),
      timeoutMs,
      workDir,
      hasInput: input !== undefined,
      outputBytes: limitBytes,
    });
    const stop = () => running.stdout.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    running.ended.finally(() => signal.removeEventListener('abort', stop)).catch(() => undefined);
    // The script may end before it has read its input. Its exit code decides.
    if (Buffer.isBuffer(input)) running.stdin.end(input);
    else if (input)
      pipeline(input, running.stdin).catch((error: NodeJS.ErrnoException) => {
        if (!endOfReader.test(error.code ?? '')) running.stdout.destroy(error);
      });
    return running;
  }
}

/** Prefixes names with `./`, so that none is read as an option. */
export function namesEndedByNul(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `./${path}\0`).join(''));
}

/** GNU tar, which alone reads the variable, writes records of 256 KiB instead of 10 KiB. */
const packScript = 'export TAR_OPTIONS=-b512; exec tar -cf - -T -';

/** Each entry has a header, blocks for a long name, and the rest of its last block. */
const tarEntryBytes = 2_048;
/** Files may grow before they are read, which the next listing shows. */
const tarSlackBytes = 64 * 1_024 * 1_024;

/** The bytes of a tar beside the contents of its files. */
export const tarBytes = ({ entries, nameBytes }: TarNames): number =>
  tarSlackBytes + entries * tarEntryBytes + 4 * nameBytes;

interface TarNames {
  readonly entries: number;
  readonly nameBytes: number;
}

/** The bytes that the listing promises of a tar. */
function promisedBytes(entries: readonly FoundEntry[]): number {
  const sum = (size: (entry: FoundEntry) => number) => entries.reduce((all, entry) => all + size(entry), 0);
  const nameBytes = sum(({ path }) => path.length);
  return tarBytes({ entries: entries.length, nameBytes }) + sum(({ sizeBytes }) => sizeBytes);
}

/**
 * A tar of the entries. It fails when a file changes or is deleted during the read, and when the
 * program prints more than the listing promised.
 */
export function packFiles(
  shell: WorkspaceShell,
  folder: string,
  entries: readonly FoundEntry[],
): Section['content'] {
  if (entries.length === 0) return Buffer.alloc(0);
  // GNU tar and BusyBox tar both accept names with `./`, one a line.
  const input = Buffer.from(entries.map(({ path }) => `./${path}\n`).join(''));
  const limitBytes = promisedBytes(entries);
  return () => shell.stream({ text: packScript, workDir: folder, input, limitBytes });
}
