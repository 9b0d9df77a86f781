import type { BootLogEntry } from '../../../protocol/callbacks.js';

type Entry = Omit<BootLogEntry, 'timestamp'>;

/**
 * What went wrong while the node was booting, for the person who waits for the first workspace on it. Until then nobody
 * could be told: without its token the node has no way to.
 */
export class BootDiagnostics {
  private readonly troubles = new Map<string, { count: number; last: string }>();
  private isTold = false;

  constructor(
    private readonly clock: { readonly offsetMs: number },
    private readonly uptimeMs: () => number = () => performance.now(),
  ) {}

  /** Something has to be tried again. */
  recordFailure(what: string, error: unknown): void {
    const last = error instanceof Error ? error.message : String(error);
    this.troubles.set(what, { count: (this.troubles.get(what)?.count ?? 0) + 1, last });
  }

  /** The bootDiagnostics, once, and only if there is one. */
  take(): Entry | null {
    const lines = this.lines();
    if (this.isTold || lines.length === 0) return null;
    this.isTold = true;
    return {
      step: 'node_boot',
      status: 'completed',
      message: 'The node came up with difficulties',
      detail: lines.join('\n'),
      durationMs: Math.round(this.uptimeMs()),
    };
  }

  private lines(): readonly string[] {
    const { offsetMs } = this.clock;
    const seconds = Math.round(Math.abs(offsetMs) / 1_000);
    return [
      ...[...this.troubles].map(([what, { count, last }]) => `${what}: tried again ${count} times (${last})`),
      ...(offsetMs === 0
        ? []
        : [`The node's clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the control plane's`]),
    ];
  }
}
