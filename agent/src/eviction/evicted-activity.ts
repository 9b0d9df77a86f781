import type { EvictionReason } from '../../../protocol/eviction.js';

/** What ends in a workspace when it is evicted. */
export interface EvictedActivity {
  /** Ends its agents, their snapshots and its resource history. */
  suspendAgents(workspaceId: string, reason: EvictionReason): Promise<void>;
  /** The workspace goes on: its agents may too. */
  resumeAgents(workspaceId: string): void;
  failAgents(workspaceId: string, message: string): void;
  /** Ends terminals and provisioning. */
  endOthers(workspaceId: string): Promise<void>;
  /** Ends everything that still runs in its containers. */
  stopContainers(workspaceId: string): Promise<void>;
}
