import type { SuspendedEnding } from '../agent-sessions/session-endings.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { QuarantineStore } from '../store/quarantine-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { Terminals } from '../terminals/terminals.js';
import type { Provisioner } from './provisioner.js';
import type { WorkspaceRuntime } from './runtime.js';
import type { Workspace } from './workspace.js';

export interface WorkspacesDeps {
  readonly store: WorkspaceStore;
  readonly quarantine: QuarantineStore;
  readonly runtime: WorkspaceRuntime;
  readonly provisioner: Provisioner;
  readonly terminals: Terminals;
  readonly agents: WorkspaceAgents;
  /** Undefined where workspaces are no containers. */
  readonly evictions?: WorkspaceEvictions | undefined;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

/** The evictions of workspaces. The caller holds the lock of the workspace. */
export interface WorkspaceEvictions {
  /** Takes a workspace that ran out of memory: it is not started again. False: it did not. */
  salvage(workspace: Workspace): Promise<boolean>;
  /** Ends an eviction that has begun. */
  reconcile(workspaceId: string): Promise<void>;
}

/** The coding agents of a workspace. */
export interface WorkspaceAgents {
  /** Ends all sessions of the workspace. */
  stopWorkspace(workspaceId: string): Promise<void>;
  /** Ends all agents. The conversations continue when the workspace runs again. */
  suspendWorkspace(workspaceId: string, ending?: SuspendedEnding): Promise<void>;
  /** Called when the workspace runs. A repeated call has no effect. */
  resumeWorkspace(workspaceId: string): void;
  /** Removes all records of the sessions. */
  removeWorkspace(workspaceId: string): Promise<void>;
}
