import type { PendingCallback, ProvisionKind, Workspace, WorkspaceStatus } from '../workspaces/workspace.js';

export interface Move {
  readonly from: readonly WorkspaceStatus[];
  readonly to: WorkspaceStatus;
  readonly pendingCallback?: PendingCallback;
  readonly errorMessage?: string | null;
}

export interface RestartOrRebuild {
  readonly from: readonly WorkspaceStatus[];
  readonly provisionKind: Exclude<ProvisionKind, 'create'>;
  readonly generation: number;
  readonly callbackToken: string;
  /** Ends the fence. Without it the workspace must have none, and keeps its generation. */
  readonly eviction?: EvictionChange | undefined;
}

/** From the generation that the control plane expects to the one that it has allocated. */
export interface EvictionChange {
  readonly from: string;
  readonly to: string;
}

/** It is created from nothing, unless it is adopted with its files. */
export type NewGeneration = Pick<Workspace, 'workspaceId' | 'generation' | 'settings' | 'callbackToken'> & {
  readonly provisionKind?: ProvisionKind;
  readonly evictionGeneration?: string | undefined;
};
