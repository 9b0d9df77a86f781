import type { Readable } from 'node:stream';
import type { NodeErrorCode } from '../../../protocol/node-api.js';
import { AgentError } from '../errors.js';
import type { CommandExit, RunningCommand, WorkspaceRunner } from '../workspaces/runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import { CommandSlots } from './command-slots.js';

interface Program {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /**
   * Working directory; when it is missing the command fails with `not_found`. Default: the
   * repository, or `/` when that is missing.
   */
  readonly workDir?: string;
  readonly hasInput?: boolean;
  readonly asRoot?: boolean;
}

/** A program whose output is a stream. */
export interface CommandRequest extends Program {
  /** The limit of both outputs together; a program that sends more is ended. */
  readonly outputBytes: number;
}

/** Room for messages on standard error, and for output that is still in buffers. */
export const outputSlackBytes = 1_024 * 1_024;

export interface CommandOutput extends CommandExit {
  readonly output: Buffer;
  /** Whether the output exceeded the limit; the program was ended and has no exit code. */
  readonly isTruncated: boolean;
}

/**
 * `$0`: seconds, `$1`: folder, then the program. The script itself enters the folder: neither
 * system nor engine reports a missing folder distinctly. `timeout` ends the program where the image
 * has it; otherwise only the agent's timeout applies.
 */
function startIn(otherwise: string): string {
  return `cd -P -- "$1" 2>/dev/null || ${otherwise}
shift
if command -v timeout >/dev/null 2>&1; then exec timeout -s KILL "$0" "$@"; else exec "$@"; fi`;
}

const startInFolder = startIn('{ [ -d "$1" ] && exit 44; exit 49; }');
const startAnywhere = startIn('cd /');

/** Exit codes by which the scripts of files and git report errors. */
const exitCodeErrors: Readonly<Record<number, readonly [NodeErrorCode, string]>> = {
  40: ['not_found', 'File or folder not found'],
  41: ['forbidden', 'The path leads out of the workspace'],
  42: ['invalid_request', 'The path is a folder where a file is needed, or a file where a folder is needed'],
  44: ['forbidden', 'The user of the workspace has no permission for this path'],
  45: ['invalid_request', 'A folder with this name already exists'],
  46: ['insufficient_storage', 'The file was not written: the disk of the workspace may be full'],
  47: ['not_found', 'Revision not found'],
  48: ['not_found', 'File not found at this revision'],
  49: ['not_found', 'The folder of the repository or worktree was moved or deleted'],
  50: ['invalid_request', 'The git settings name more than 500 programs or exceed 256 KiB. Remove some'],
  51: [
    'invalid_request',
    'A git setting has a name that needs git 2.31 or newer. Upgrade git in the workspace',
  ],
  137: ['timed_out', 'The command in the workspace timed out'],
  124: ['timed_out', 'The command in the workspace timed out'],
};

/**
 * Runs small programs in workspaces, as the workspace's user and inside its container: links in its
 * files lead no further than its own shell.
 */
export class WorkspaceCommands {
  constructor(
    private readonly runner: WorkspaceRunner,
    private readonly slots = new CommandSlots(),
  ) {}

  place(workspace: Workspace) {
    return this.runner.place(workspace);
  }

  /** Runs to the end, or until the output exceeds `limitBytes`. */
  async collect(workspace: Workspace, program: Program, limitBytes: number): Promise<CommandOutput> {
    const outputBytes = limitBytes + outputSlackBytes;
    const running = await this.open(workspace, { ...program, outputBytes });
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

  /** Like `collect`, for an HTTP request: within the command limits of workspace and node. */
  collectRequested(workspace: Workspace, program: Program, limitBytes: number): Promise<CommandOutput> {
    return this.requested(workspace, () => this.collect(workspace, program, limitBytes));
  }

  /** Runs work of an HTTP request within the command limits. @throws AgentError unavailable */
  requested<T>({ workspaceId }: Workspace, work: () => Promise<T>): Promise<T> {
    return this.slots.run(workspaceId, work);
  }

  /** Starts a program; its output stream fails after `timeoutMs` and after `outputBytes`. */
  async open(workspace: Workspace, program: CommandRequest): Promise<RunningCommand> {
    const { argv, timeoutMs, workDir, hasInput, asRoot, outputBytes } = program;
    const seconds = String(Math.max(1, Math.ceil(timeoutMs / 1_000)));
    const start = workDir === undefined ? startAnywhere : startInFolder;
    const running = await this.runner.run(workspace, {
      argv: ['/bin/sh', '-c', start, seconds, workDir ?? this.place(workspace).workDir, ...argv],
      hasInput: hasInput ?? false,
      asRoot: asRoot ?? false,
      outputBytes,
    });
    // Readers receive the error too; without a listener it would end the process.
    running.stdout.on('error', () => undefined);
    endAfter(running.stdout, timeoutMs + 1_000);
    return running;
  }
}

/** Whether the program was ended because of its timeout. */
export function isTimeout({ exitCode }: CommandExit): boolean {
  return exitCode !== null && exitCodeErrors[exitCode]?.[0] === 'timed_out';
}

/** @throws AgentError for the exit codes of scripts, Error for any other code except 0 */
export function checkExit({ exitCode, stderr }: CommandExit): void {
  if (exitCode === 0 || exitCode === null) return;
  const failure = exitCodeErrors[exitCode];
  if (failure) throw new AgentError(...failure);
  throw new Error(`A program in the workspace exited with ${exitCode}: ${stderr.slice(-500)}`);
}

function endAfter(stdout: Readable, timeoutMs: number): void {
  const timer = setTimeout(() => {
    stdout.destroy(new AgentError('timed_out', 'The command in the workspace timed out'));
  }, timeoutMs);
  stdout.once('close', () => clearTimeout(timer));
}
