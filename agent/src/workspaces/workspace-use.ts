/**
 * Workspaces with terminal input or port requests, until the control plane has accepted a heartbeat
 * that names them.
 */
export class WorkspaceUse {
  private fresh = new Set<string>();
  private reported = new Set<string>();

  mark(workspaceId: string): void {
    this.fresh.add(workspaceId);
  }

  /** For the next heartbeat; includes what a failed one named. */
  report(): readonly string[] {
    this.reported = new Set([...this.reported, ...this.fresh]);
    this.fresh = new Set();
    return [...this.reported];
  }

  /** The control plane has what `report` returned last. */
  accepted(): void {
    this.reported = new Set();
  }
}
