import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from './workspace.js';

export interface ProgressBeatParts {
  readonly callbacks: Pick<WorkspaceCallbacks, 'progress'>;
  readonly log: Log;
  readonly intervalMs: number;
}

/** Says at every interval that a workspace is still being made, until it is disposed of. */
export class ProgressBeat implements AsyncDisposable {
  private readonly ended = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private beating: Promise<void> | null = null;

  constructor(
    private readonly workspace: Workspace,
    private readonly parts: ProgressBeatParts,
  ) {
    this.timer = setInterval(() => this.beat(), parts.intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.ended.abort();
    await this.beating;
  }

  /** One at a time: a slow control plane is not helped by more of them. */
  private beat(): void {
    const { callbacks, log } = this.parts;
    this.beating ??= callbacks
      .progress(this.workspace, this.ended.signal)
      .catch((error: unknown) => {
        if (this.ended.signal.aborted) return;
        log.warn('Progress not delivered', { workspaceId: this.workspace.workspaceId, error });
      })
      .finally(() => {
        this.beating = null;
      });
  }
}
