import type { SnapshotProgress } from '../../../protocol/snapshot-callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { SnapshotCallbacks, SnapshotCaller } from './snapshot-callbacks.js';

type Step = SnapshotProgress['step'];

interface Reports {
  readonly callbacks: SnapshotCallbacks;
  readonly caller: SnapshotCaller;
  readonly operation: Pick<SnapshotProgress, 'chatSessionId' | 'operationId'>;
  readonly intervalMs: number;
  /** The control plane has begun another capture. */
  readonly onSuperseded: () => void;
}

/** Reports the step of an operation at intervals, until it is disposed. */
export class ProgressReports implements Disposable {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly reports: Reports,
    public step: Step,
  ) {
    this.timer = setInterval(() => this.send(), reports.intervalMs);
    this.send();
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }

  private send(): void {
    const { callbacks, caller, operation, onSuperseded } = this.reports;
    const { step } = this;
    callbacks.progress(caller, { ...operation, step }).catch((error: unknown) => {
      if (isStale(error)) onSuperseded();
    });
  }
}

const staleStatuses = [404, 409, 410];

/** The call belongs to an ended operation, or to an earlier generation of the workspace. */
export function isStale(error: unknown): boolean {
  return error instanceof CallbackRefused && staleStatuses.includes(error.status);
}
