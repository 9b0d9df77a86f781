import type { z } from 'zod/mini';
import type { BootLogEntry, ContainerMetric as ContainerMetricSchema } from '../../../protocol/callbacks.js';
import type { OpenPty, PtySize } from '../terminals/pty.js';
import type { Workspace } from './workspace.js';

export type ContainerMetric = z.infer<typeof ContainerMetricSchema>;

/** What a runtime is given while it makes a workspace. */
export interface ProvisionContext {
  readonly signal: AbortSignal;
  /** Runs one named step and writes it to the boot log. */
  step<T>(name: string, message: string, work: () => Promise<T>): Promise<T>;
  /** Writes to the boot log what is no step of its own. */
  report(entry: Omit<BootLogEntry, 'timestamp'>): void;
}

/** `recovering`: it runs, but not as its repository wants it to. */
export type Outcome = 'running' | 'recovering';

export interface RuntimeListener {
  /** Perhaps, and perhaps because it was asked to. */
  ended(workspaceId: string): void;
  anyMayHaveEnded(): void;
}

export interface ShellOptions {
  readonly terminalId: string;
  readonly size: PtySize;
  /** The repository without it. */
  readonly workDir?: string | undefined;
}

/** How workspaces exist on this machine: as containers, or as folders and processes. */
export interface WorkspaceRuntime {
  /** Makes the workspace from nothing; remains of an earlier attempt are removed first. */
  provision(workspace: Workspace, context: ProvisionContext): Promise<Outcome>;
  /** Makes it run again from the files it has; a rebuild throws all else away. */
  remake(workspace: Workspace, context: ProvisionContext): Promise<Outcome>;
  /** Makes a workspace that runs usable again after a restart of the agent. False when it does not run. */
  resume(workspace: Workspace): Promise<boolean>;
  /** Whether it runs at this moment. */
  runs(workspace: Workspace): Promise<boolean>;
  /** Tells of workspaces that may have ended without being asked to, until the runtime is shut down. */
  watch(listener: RuntimeListener): void;
  /** Ends what runs in it and keeps its files. */
  stop(workspaceId: string): Promise<void>;
  /** Removes all that is left of it; nothing being there is fine. */
  remove(workspaceId: string): Promise<void>;
  /** Workspaces of which something is on this machine, known to the agent or not. */
  found(): Promise<readonly string[]>;
  openPty(workspace: Workspace, options: ShellOptions): ReturnType<OpenPty>;
  /** What running workspaces use; empty where they cannot be told apart. */
  measure(): Promise<readonly ContainerMetric[]>;
  /** Ends with the agent what cannot outlive it. */
  shutdown(): Promise<void>;
}
