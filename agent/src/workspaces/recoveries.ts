const windowMs = 10 * 60_000;
const mostPerWindow = 5;

/** Counts how often a workspace was brought back, so that one that keeps ending is left alone in the end. */
export class Recoveries {
  private readonly times = new Map<string, number[]>();

  constructor(private readonly now: () => number) {}

  /** False when it was brought back too often of late. */
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
