import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import { GitFailed } from '../git/clone.js';
import type { Log } from '../shared/log.js';
import { redactText } from '../shared/redact.js';
import { Semaphore } from '../shared/semaphore.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { BootLog } from './boot-log.js';
import { ProgressBeat } from './progress-beat.js';
import type { Outcome, ProvisionContext, WorkspaceRuntime } from './runtime.js';
import type { Workspace } from './workspace.js';

export interface ProvisionerOptions {
  readonly buildSlots: number;
  readonly timeoutMs: number;
  readonly progressIntervalMs: number;
}

interface Job {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

const eventsOf: Readonly<Record<Workspace['making'], readonly [done: string, failed: string]>> = {
  create: ['created', 'provisioning_failed'],
  restart: ['restarted', 'restart_failed'],
  rebuild: ['rebuilt', 'rebuild_failed'],
};

type Result =
  | { readonly outcome: Outcome; readonly failure: null }
  | { readonly outcome: 'errored'; readonly failure: string };

const levels = { running: 'info', recovering: 'warn', errored: 'error' } as const;
const messages = {
  running: 'The workspace runs',
  recovering: 'The workspace runs from the default image: its own could not be made',
  errored: 'The workspace could not be made',
} as const;

/** Makes workspaces in the background, a bounded number at once, and tells the control plane how it ended. */
export class Provisioner implements AsyncDisposable {
  /** Tokens that were refused; what waits for their workspaces is told with the next one. */
  private readonly refusedTokens = new Map<string, string>();
  private readonly jobs = new Map<string, Job>();
  private readonly slots: Semaphore;
  private readonly ended = new AbortController();

  constructor(
    private readonly options: ProvisionerOptions,
    private readonly parts: {
      readonly runtime: WorkspaceRuntime;
      readonly store: WorkspaceStore;
      readonly bootLog: BootLog;
      readonly callbacks: WorkspaceCallbacks;
      readonly events: Pick<EventStore, 'add'>;
      readonly log: Log;
    },
  ) {
    this.slots = new Semaphore(options.buildSlots);
  }

  /** Works that wait or run. */
  get count(): number {
    return this.jobs.size;
  }

  begin(workspace: Workspace): void {
    const controller = new AbortController();
    const done = this.run(workspace, controller.signal)
      .catch((error: unknown) =>
        this.parts.log.error('Provisioning broke', { workspaceId: workspace.workspaceId, error }),
      )
      .finally(() => this.jobs.delete(workspace.workspaceId));
    this.jobs.set(workspace.workspaceId, { controller, done });
  }

  /** Ends the making of a workspace; resolves when nothing works on it any more. */
  async abort(workspaceId: string): Promise<void> {
    const job = this.jobs.get(workspaceId);
    job?.controller.abort(new Error('The workspace was stopped'));
    await job?.done;
  }

  /** Tells the control plane what it has not acknowledged; called after each heartbeat. */
  async deliverPending(): Promise<void> {
    const pending = this.parts.store.list().filter((workspace) => workspace.pendingCallback !== null);
    await Promise.all(
      pending
        .filter(({ workspaceId }) => !this.jobs.has(workspaceId))
        .filter(({ workspaceId, callbackToken }) => this.refusedTokens.get(workspaceId) !== callbackToken)
        .map((workspace) => this.tell(workspace, this.ended.signal)),
    );
  }

  /** What is half made stays recorded as being made, and is taken up at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort(new Error('The agent shuts down'));
    await Promise.all([...this.jobs.values()].map((job) => job.done));
  }

  private async run(workspace: Workspace, aborted: AbortSignal): Promise<void> {
    const { store, callbacks, log } = this.parts;
    const stopped = AbortSignal.any([aborted, this.ended.signal]);
    // While it waits for its turn as well; and until the outcome is told, which may take a few attempts.
    await using _beat = new ProgressBeat(workspace, {
      callbacks,
      log,
      intervalMs: this.options.progressIntervalMs,
    });
    const result = await this.make(workspace, stopped);
    if (stopped.aborted || result === null) return;
    const { outcome, failure } = result;
    const moved = store.move(workspace, {
      from: ['creating'],
      to: outcome,
      errorMessage: failure,
      pendingCallback: failure === null ? 'ready' : 'failed',
    });
    if (moved) this.record(workspace, result);
    const current = store.find(workspace.workspaceId);
    if (moved && current) await this.tell(current, stopped);
  }

  private record({ workspaceId, making, generation }: Workspace, { outcome, failure }: Result): void {
    const [done, failed] = eventsOf[making];
    this.parts.events.add({
      workspaceId,
      level: levels[outcome],
      type: `workspace.${failure === null ? done : failed}`,
      message: failure ?? messages[outcome],
      detail: { generation },
    });
  }

  /** Null when it was stopped meanwhile. */
  private async make(workspace: Workspace, stopped: AbortSignal): Promise<Result | null> {
    const { runtime, bootLog, log } = this.parts;
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const signal = AbortSignal.any([stopped, timeout]);
    try {
      const outcome = await this.slots.run(signal, () => this.work(workspace, signal));
      signal.throwIfAborted();
      bootLog.add(workspace, {
        step: 'workspace_ready',
        status: 'completed',
        message: 'The workspace is ready',
      });
      return { outcome, failure: null };
    } catch (error) {
      if (stopped.aborted) return null;
      log.warn('Provisioning failed', { workspaceId: workspace.workspaceId, error });
      await runtime.stop(workspace.workspaceId).catch((cause: unknown) => log.warn('Not stopped', { cause }));
      const failure = timeout.aborted
        ? `The workspace was not ready within ${Math.round(this.options.timeoutMs / 1_000)} s`
        : failureText(error);
      return { outcome: 'errored', failure };
    }
  }

  private work(workspace: Workspace, signal: AbortSignal): Promise<Outcome> {
    const { runtime, bootLog } = this.parts;
    const context: ProvisionContext = {
      signal,
      step: (name, message, work) => {
        signal.throwIfAborted();
        return bootLog.step(workspace, name, message, work);
      },
      report: (entry) => bootLog.add(workspace, entry),
    };
    return workspace.making === 'create'
      ? runtime.provision(workspace, context)
      : runtime.remake(workspace, context);
  }

  private async tell(workspace: Workspace, signal: AbortSignal): Promise<void> {
    const { callbacks, store, log } = this.parts;
    const { workspaceId, pendingCallback } = workspace;
    try {
      if (pendingCallback === 'failed') await callbacks.provisioningFailed(workspace, signal);
      else await callbacks.ready(workspace, signal);
      store.callbackAnswered(workspace, pendingCallback);
    } catch (error) {
      if (error instanceof CallbackRefused) {
        // A refusal is an answer too: asking again would not change it. A refused token may be replaced, though.
        if (error.status === 401) this.refusedTokens.set(workspaceId, workspace.callbackToken);
        else store.callbackAnswered(workspace, pendingCallback);
      }
      log.warn('Callback not accepted', { workspaceId, pendingCallback, error });
    }
  }
}

function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof GitFailed ? `Cloning failed: ${message}` : message;
  return redactText(text).slice(0, 2_048) || 'The workspace could not be made';
}
