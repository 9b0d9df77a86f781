import type { Log } from '../shared/log.js';
import type { SnapshotRequest, UnfinishedOperations } from './unfinished-operations.js';

interface Operation {
  readonly operationId: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

type Begin = SnapshotRequest & { readonly work: (signal: AbortSignal) => Promise<void> };

interface Run<T> {
  readonly operationId: string;
  readonly timeoutMs: number;
  readonly work: (signal: AbortSignal) => Promise<T>;
  /** Before those who wait for its end go on. */
  readonly finish?: () => void;
}

/**
 * Captures and restores in the background: one of a workspace at a time. One that the agent does
 * not end is continued by its next run.
 */
export class SnapshotOperations implements AsyncDisposable {
  private readonly running = new Map<string, Operation>();
  private isShutDown = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly unfinished: UnfinishedOperations,
    private readonly log: Log,
  ) {}

  /** True when the operation begins or runs. False while another one runs. */
  begin({ work, ...begun }: Begin): boolean {
    const { workspaceId } = begun.key;
    const { operationId } = begun.request;
    const other = this.running.get(workspaceId);
    if (other) return other.operationId === operationId;
    this.unfinished.begin(begun);
    const finish = () => {
      if (!this.isShutDown) this.unfinished.end(workspaceId, operationId);
    };
    const run = { operationId, timeoutMs: this.timeoutMs, work, finish };
    this.start(workspaceId, run).catch((error: unknown) =>
      this.log.warn('Snapshot operation failed', { workspaceId, operationId, error }),
    );
    return true;
  }

  /**
   * Runs an operation to its end, which the next run of the agent does not continue. Null while
   * another one runs.
   */
  async run<T>(workspaceId: string, run: Run<T>): Promise<T | null> {
    if (this.running.has(workspaceId) || this.isShutDown) return null;
    return this.start(workspaceId, run);
  }

  private start<T>(workspaceId: string, { operationId, timeoutMs, work, finish }: Run<T>): Promise<T> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutMs)]);
    const result = Promise.resolve()
      .then(() => work(signal))
      .finally(() => {
        this.running.delete(workspaceId);
        finish?.();
      });
    const done = result.then(
      () => undefined,
      () => undefined,
    );
    this.running.set(workspaceId, { operationId, controller, done });
    return result;
  }

  /** Whether the running operation was ended by `end`. */
  isEnded(workspaceId: string): boolean {
    return this.running.get(workspaceId)?.controller.signal.aborted ?? false;
  }

  /** Waits for this operation if it runs. */
  async finished(workspaceId: string, operationId: string): Promise<void> {
    const operation = this.running.get(workspaceId);
    if (operation?.operationId === operationId) await operation.done;
  }

  /** Ends the operation of a workspace, and waits for its end. */
  async end(workspaceId: string, operationId?: string): Promise<void> {
    const operation = this.running.get(workspaceId);
    if (!operation || (operationId !== undefined && operation.operationId !== operationId)) return;
    operation.controller.abort(new Error('The operation was ended'));
    await operation.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isShutDown = true;
    await Promise.all([...this.running.keys()].map((workspaceId) => this.end(workspaceId)));
  }
}
