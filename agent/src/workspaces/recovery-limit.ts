const windowMs = 10 * 60_000;
const mostPerWindow = 5;

/** Limits how often a workspace that ends is restarted. */
export class RecoveryLimit {
  private readonly times = new Map<string, number[]>();

  constructor(private readonly now: () => number) {}

  /** False when the workspace was restarted 5 times within 10 minutes. */
  admit(workspaceId: string): boolean {
    const now = this.now();
    const recent = (this.times.get(workspaceId) ?? []).filter((time) => now - time < windowMs);
    const isAdmitted = recent.length < mostPerWindow;
    this.times.set(workspaceId, isAdmitted ? [...recent, now] : recent);
    return isAdmitted;
  }

  forget(workspaceId: string): void {
    this.times.delete(workspaceId);
  }
}
