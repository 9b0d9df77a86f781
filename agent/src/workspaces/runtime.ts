import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod/mini';
import type { BootLogEntry } from '../../../protocol/callbacks.js';
import type { ContainerMetric as ContainerMetricSchema } from '../../../protocol/heartbeat.js';
import type { CloneResult } from '../git/clone.js';
import type { OpenPty, PtySize } from '../terminals/pty.js';
import type { Workspace } from './workspace.js';

export type ContainerMetric = z.infer<typeof ContainerMetricSchema>;

/** What a runtime receives to provision a workspace. */
export interface ProvisionContext {
  readonly signal: AbortSignal;
  /** Runs one named step and writes it to the boot log. */
  step<T>(name: string, message: string, work: () => Promise<T>): Promise<T>;
  /** Writes a boot-log entry that is no step. */
  report(entry: Omit<BootLogEntry, 'timestamp'>): void;
  /** Takes output of the current step as it arrives. */
  output(text: string): void;
  /** Takes the reason why the workspace runs from the default image. */
  fallback(reason: string): void;
}

/** `recovering`: the workspace runs, but from the default image. */
export type ProvisionOutcome = 'running' | 'recovering';

export interface RuntimeListener {
  /** May also be called for a stop that was requested, or for a workspace that still runs. */
  ended(workspaceId: string): void;
  /** A service beside the workspace's own container exited; also called for a requested stop. */
  serviceEnded(workspaceId: string, message: string): void;
  anyMayHaveEnded(): void;
}

export interface ShellOptions {
  readonly terminalId: string;
  readonly size: PtySize;
  /** Null or undefined: the repository. */
  readonly workDir?: string | undefined;
  /** Of the profile and the skill. They are secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Identifies the files of a workspace. */
export type WorkspaceFiles = Pick<Workspace, 'workspaceId' | 'settings'>;

/** How workspaces run on this machine: as containers, or as folders and processes. */
export interface WorkspaceRuntime {
  /** Creates the workspace from nothing; removes what an earlier attempt left. */
  provision(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome>;
  /** Starts the workspace from its existing files; a rebuild discards everything else. */
  restartOrRebuild(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome>;
  /** Makes a running workspace usable after a restart of the agent. False when it does not run. */
  resume(workspace: Workspace): Promise<boolean>;
  /** Whether the workspace runs now. */
  runs(workspace: Workspace): Promise<boolean>;
  /** Reports workspaces that may have ended, until shutdown. */
  watch(listener: RuntimeListener): void;
  /** Ends what runs in the workspace and keeps its files. */
  stop(workspaceId: string): Promise<void>;
  /** Removes everything of the workspace; a repeated call has no effect. */
  remove(workspaceId: string): Promise<void>;
  /** Workspaces with anything on this machine, recorded or not. */
  found(): Promise<readonly string[]>;
  /** Newest generation that created remains of the workspace; null when it is unknown. */
  foundGeneration(workspaceId: string): Promise<number | null>;
  /** Whether the files of the workspace are on this machine. */
  hasFiles(workspace: WorkspaceFiles): Promise<boolean>;
  openPty(workspace: Workspace, options: ShellOptions): ReturnType<OpenPty>;
  /** Resource usage of running workspaces; empty where it cannot be separated. */
  measure(): Promise<readonly ContainerMetric[]>;
  /** Ends what cannot outlive the agent. */
  shutdown(): Promise<void>;
}

/** Writes the notes of a clone to the boot log. */
export function reportCloneNotes({ notes }: CloneResult, { report }: Pick<ProvisionContext, 'report'>): void {
  for (const message of notes) report({ step: 'git_notes', status: 'completed', message });
}

/**
 * A program to run in a workspace, as its user, without a terminal. It starts in `/`, which always
 * exists.
 */
export interface Command {
  readonly argv: readonly string[];
  /** Whether the caller writes to its standard input. */
  readonly hasInput: boolean;
  /**
   * In containers: run as root instead of the workspace's user. Never for arguments that a caller
   * controls.
   */
  readonly asRoot?: boolean;
  /** The limit of both outputs together. A program that sends more is ended: its output fails. */
  readonly outputBytes: number;
}

export interface RunningCommand {
  readonly stdin: Writable;
  /** Backpressure blocks the program; destroying the stream ends it. */
  readonly stdout: Readable;
  /**
   * Resolves when the program has exited and its output is read; `stderr` is the end of standard
   * error.
   */
  readonly ended: Promise<CommandExit>;
}

export interface CommandExit {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Paths of the workspace, as the workspace sees them. */
export interface WorkspacePlace {
  /** Folder that contains all files of the workspace. */
  readonly root: string;
  /** The repository. */
  readonly workDir: string;
}

/** Environment of every such program, in addition to the workspace's. */
export const commandEnvironment = {
  LC_ALL: 'C.UTF-8',
  GIT_TERMINAL_PROMPT: '0',
  /** A query must not take locks that a user's git needs. */
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
