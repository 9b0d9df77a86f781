import type { Readable } from 'node:stream';
import type { NodeErrorCode } from '../../../protocol/node-api.js';
import { AgentError } from '../errors.js';
import type { CommandEnd, RunningCommand, WorkspaceRunner } from '../workspaces/command.js';
import type { Workspace } from '../workspaces/workspace.js';
import { CommandSlots } from './command-slots.js';

export interface WorkspaceProgram {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** Where this is gone the program fails as `not_found`. Without it: in the repository, or in `/` where that is gone. */
  readonly workDir?: string;
  readonly hasInput?: boolean;
  readonly asRoot?: boolean;
}

export interface Collected extends CommandEnd {
  readonly output: Buffer;
  /** Whether there was more than the limit; the program was ended then, and its exit code is null. */
  readonly isTruncated: boolean;
}

/**
 * `$0`: seconds, `$1`: folder, then the program. It goes to the folder by itself: neither system nor engine would tell one
 * that people moved away from a failure of their own. Ends with the program, where the image has `timeout`; else only our
 * patience ends.
 */
function startIn(otherwise: string): string {
  return `cd -P -- "$1" 2>/dev/null || ${otherwise}
shift
if command -v timeout >/dev/null 2>&1; then exec timeout -s KILL "$0" "$@"; else exec "$@"; fi`;
}

const startInFolder = startIn('{ [ -d "$1" ] && exit 44; exit 49; }');
const startAnywhere = startIn('cd /');

/** Exit codes by which the scripts of files and git tell what is wrong. */
const failures: Readonly<Record<number, readonly [NodeErrorCode, string]>> = {
  40: ['not_found', 'There is nothing at this path'],
  41: ['forbidden', 'The path leads out of the workspace'],
  42: ['invalid_request', 'The path is of another kind than needed'],
  44: ['forbidden', 'The user of the workspace may not do this'],
  45: ['invalid_request', 'There is a folder of this name'],
  46: ['insufficient_storage', 'The workspace could not take the file; its disk may be full'],
  47: ['not_found', 'There is no such revision'],
  48: ['not_found', 'There is no such file at this revision'],
  49: ['not_found', 'The folder of the repository or worktree is gone: it was moved or deleted'],
  50: ['invalid_request', 'The settings of git name more than 500 programs, or take more than 256 KiB'],
  51: ['invalid_request', 'A setting of git has a name that needs git 2.31 or newer in the workspace'],
  137: ['timed_out', 'The workspace took too long'],
  124: ['timed_out', 'The workspace took too long'],
};

/**
 * Runs small programs in workspaces, always as the workspace's own user and inside its own container: whatever path
 * tricks its files hold, they reach no further than its own shell.
 */
export class WorkspaceCommands {
  constructor(
    private readonly runner: WorkspaceRunner,
    private readonly slots = new CommandSlots(),
  ) {}

  place(workspace: Workspace) {
    return this.runner.place(workspace);
  }

  /** Runs to the end, or until there is more output than `limitBytes`. */
  async collect(workspace: Workspace, program: WorkspaceProgram, limitBytes: number): Promise<Collected> {
    const running = await this.open(workspace, program);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of running.stdout) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > limitBytes) {
        const output = Buffer.concat(chunks).subarray(0, limitBytes);
        return { output, isTruncated: true, exitCode: null, stderr: '' };
      }
    }
    return { output: Buffer.concat(chunks), isTruncated: false, ...(await running.ended) };
  }

  /** As `collect`, for a caller over HTTP: within the limits of the workspace and the node. */
  collectRequested(workspace: Workspace, program: WorkspaceProgram, limitBytes: number): Promise<Collected> {
    return this.requested(workspace, () => this.collect(workspace, program, limitBytes));
  }

  /** Runs such work within those limits. @throws AgentError unavailable */
  requested<T>({ workspaceId }: Workspace, work: () => Promise<T>): Promise<T> {
    return this.slots.run(workspaceId, work);
  }

  /** Begins; its output fails when it takes longer than `timeoutMs`. */
  async open(workspace: Workspace, program: WorkspaceProgram): Promise<RunningCommand> {
    const { argv, timeoutMs, workDir, hasInput, asRoot } = program;
    const seconds = String(Math.max(1, Math.ceil(timeoutMs / 1_000)));
    const start = workDir === undefined ? startAnywhere : startInFolder;
    const running = await this.runner.run(workspace, {
      argv: ['/bin/sh', '-c', start, seconds, workDir ?? this.place(workspace).workDir, ...argv],
      hasInput: hasInput ?? false,
      asRoot: asRoot ?? false,
    });
    // Readers see the error too; without one it would end the process.
    running.stdout.on('error', () => undefined);
    endAfter(running.stdout, timeoutMs + 1_000);
    return running;
  }
}

/** Whether the program was ended for it took too long. */
export function isTimeout({ exitCode }: CommandEnd): boolean {
  return exitCode !== null && failures[exitCode]?.[0] === 'timed_out';
}

/** @throws AgentError for an exit code that a script chose, Error for any other than 0 */
export function checkEnd({ exitCode, stderr }: CommandEnd): void {
  if (exitCode === 0 || exitCode === null) return;
  const failure = failures[exitCode];
  if (failure) throw new AgentError(...failure);
  throw new Error(`A program in the workspace ended with ${exitCode}: ${stderr.slice(-500)}`);
}

function endAfter(stdout: Readable, timeoutMs: number): void {
  const timer = setTimeout(() => {
    stdout.destroy(new AgentError('timed_out', 'The workspace took too long'));
  }, timeoutMs);
  stdout.once('close', () => clearTimeout(timer));
}
