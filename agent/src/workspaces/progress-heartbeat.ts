import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import type { Log } from '../shared/log.js';
import { SingleFlight } from '../shared/single-flight.js';
import type { Workspace } from './workspace.js';

interface ProgressHeartbeatDeps {
  readonly callbacks: Pick<WorkspaceCallbacks, 'progress'>;
  readonly log: Log;
  readonly intervalMs: number;
}

/** Reports at every interval that a workspace is still being provisioned, until disposal. */
export class ProgressHeartbeat implements AsyncDisposable {
  private readonly ended = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly pending = new SingleFlight();

  constructor(
    private readonly workspace: Workspace,
    private readonly deps: ProgressHeartbeatDeps,
  ) {
    this.timer = setInterval(() => this.send(), deps.intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.ended.abort();
    await this.pending.current;
  }

  /** One request at a time: more would only slow down a slow control plane. */
  private send(): void {
    const { callbacks, log } = this.deps;
    void this.pending.run(() =>
      callbacks.progress(this.workspace, this.ended.signal).catch((error: unknown) => {
        if (this.ended.signal.aborted) return;
        log.warn('Progress callback failed', { workspaceId: this.workspace.workspaceId, error });
      }),
    );
  }
}
