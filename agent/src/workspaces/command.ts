import type { Readable, Writable } from 'node:stream';
import type { Workspace } from './workspace.js';

/** A program to run in a workspace, as its user, with no terminal. It begins in `/`, which alone is always there. */
export interface Command {
  readonly argv: readonly string[];
  /** Whether something will be written to it. */
  readonly hasInput: boolean;
  /** In containers: as root, not as the workspace's user. Never for what a caller has a say in. */
  readonly asRoot?: boolean;
}

export interface RunningCommand {
  readonly stdin: Writable;
  /** Not reading stops the program; destroying ends it. */
  readonly stdout: Readable;
  /** Once the program has ended and its output is read; `stderr` holds the end of what it said. */
  readonly ended: Promise<CommandEnd>;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Where the files of a workspace are, as it sees them itself. */
export interface WorkspacePlace {
  /** Everything the workspace's files may be under. */
  readonly root: string;
  /** The repository. */
  readonly workDir: string;
}

/** What every such program has in its environment, beside what the workspace gives. */
export const commandEnvironment = {
  LC_ALL: 'C.UTF-8',
  GIT_TERMINAL_PROMPT: '0',
  /** Looking at a repository must not get in the way of whoever works in it. */
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  /** No remote helper, no program over SSH. */
  GIT_ALLOW_PROTOCOL: 'http:https',
} as const;

export const keptStderrBytes = 4_096;

/** Runs programs in the workspaces of this machine, as their own users. */
export interface WorkspaceRunner {
  place(workspace: Workspace): WorkspacePlace;
  run(workspace: Workspace, command: Command): Promise<RunningCommand>;
}
