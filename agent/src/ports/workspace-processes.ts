/** Finds the processes of workspaces from outside, whatever runs them. */
export interface WorkspaceProcesses {
  /** A process in whose network the workspace is; null when nothing of it runs. */
  leader(workspaceId: string): Promise<number | null>;
  /** All processes, of each of these workspaces. */
  all(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
}
