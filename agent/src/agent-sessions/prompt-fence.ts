/** Counts the accepted prompts of each workspace, and refuses prompts while a workspace stops. */
export class PromptFence {
  private readonly accepted = new Map<string, number>();
  private readonly closed = new Map<string, number>();

  /** Prompts that this run of the agent has accepted. */
  count(workspaceId: string): number {
    return this.accepted.get(workspaceId) ?? 0;
  }

  add(workspaceId: string): void {
    this.accepted.set(workspaceId, this.count(workspaceId) + 1);
  }

  isClosed(workspaceId: string): boolean {
    return this.closed.has(workspaceId);
  }

  /** Refuses prompts until all closings are disposed. */
  close(workspaceId: string): Disposable {
    this.closed.set(workspaceId, (this.closed.get(workspaceId) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.closed.get(workspaceId) ?? 1) - 1;
        if (left === 0) this.closed.delete(workspaceId);
        else this.closed.set(workspaceId, left);
      },
    };
  }
}
