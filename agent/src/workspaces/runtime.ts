import type { z } from 'zod/mini';
import type { ContainerMetric as ContainerMetricSchema } from '../../../protocol/callbacks.js';
import type { OpenPty } from '../terminals/pty.js';
import type { Workspace } from './workspace.js';

export type ContainerMetric = z.infer<typeof ContainerMetricSchema>;

/** What a runtime is given while it makes a workspace. */
export interface ProvisionContext {
  readonly signal: AbortSignal;
  /** Runs one named step and writes it to the boot log. */
  step<T>(name: string, message: string, work: () => Promise<T>): Promise<T>;
}

/** How workspaces exist on this machine: as containers, or as folders and processes. */
export interface WorkspaceRuntime {
  /** Makes the workspace from nothing; remains of an earlier attempt are removed first. */
  provision(workspace: Workspace, context: ProvisionContext): Promise<void>;
  /** Makes it run again from the files it has; a rebuild throws all else away. */
  remake(workspace: Workspace, context: ProvisionContext): Promise<void>;
  /** After a restart of the agent: makes a running workspace usable again. False when nothing is left of it. */
  resume(workspace: Workspace): Promise<boolean>;
  /** Ends what runs in it and keeps its files. */
  stop(workspaceId: string): Promise<void>;
  /** Removes all that is left of it; nothing being there is fine. */
  remove(workspaceId: string): Promise<void>;
  /** Workspaces of which something is on this machine, known to the agent or not. */
  found(): Promise<readonly string[]>;
  openPty(workspace: Workspace, options: Parameters<OpenPty>[0]): ReturnType<OpenPty>;
  /** What running workspaces use; empty where they cannot be told apart. */
  measure(): Promise<readonly ContainerMetric[]>;
  /** Ends with the agent what cannot outlive it. */
  shutdown(): Promise<void>;
}
