import type { BootLogEntry } from '../../../protocol/callbacks.js';

type Entry = Omit<BootLogEntry, 'timestamp'>;

/**
 * Failures during the node's boot, for the boot log of its first workspace. The node has no token
 * to report them earlier.
 */
export class BootDiagnostics {
  private readonly failures = new Map<string, { count: number; last: string }>();
  private isReported = false;

  constructor(
    private readonly clock: { readonly offsetMs: number },
    private readonly uptimeMs: () => number = () => performance.now(),
  ) {}

  /** Records a failed attempt. */
  recordFailure(what: string, error: unknown): void {
    const last = error instanceof Error ? error.message : String(error);
    this.failures.set(what, { count: (this.failures.get(what)?.count ?? 0) + 1, last });
  }

  /** Returns the failures on the first call; null when nothing failed, and afterwards. */
  take(): Entry | null {
    const lines = this.lines();
    if (this.isReported || lines.length === 0) return null;
    this.isReported = true;
    return {
      step: 'node_boot',
      status: 'completed',
      message: 'The node started with problems',
      detail: lines.join('\n'),
      durationMs: Math.round(this.uptimeMs()),
    };
  }

  private lines(): readonly string[] {
    const { offsetMs } = this.clock;
    const seconds = Math.round(Math.abs(offsetMs) / 1_000);
    return [
      ...[...this.failures].map(
        ([what, { count, last }]) =>
          `${what}: ${count} failed ${count === 1 ? 'attempt' : 'attempts'} (last: ${last})`,
      ),
      ...(offsetMs === 0
        ? []
        : [
            `The node's clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the control plane's clock`,
          ]),
    ];
  }
}
