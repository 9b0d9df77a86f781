/** A first socket may meet an agent that takes its token in another way. */
const socketsBeforeAdvice = 2;

/** A node as sockets that did not open show it. */
export class UnopenedSockets {
  /** In a row. */
  private count = 0;
  /** Where a socket has opened: this browser trusts the node. */
  private trustedUrl = '';

  opened(workspaceUrl: string): void {
    this.count = 0;
    this.trustedUrl = workspaceUrl;
  }

  /**
   * Counts a socket, and returns whether the browser may not trust the node. On a laptop the front,
   * whose address is http, connects to it.
   */
  add(workspaceUrl: string): boolean {
    this.count += 1;
    const isUntried = workspaceUrl.startsWith('https:') && workspaceUrl !== this.trustedUrl;
    return isUntried && this.count >= socketsBeforeAdvice;
  }
}
