import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import type { ResourceDiagnostics } from '../node/resource-diagnostics.js';
import type { Log } from '../shared/log.js';
import { Semaphore } from '../shared/semaphore.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { BootLog } from './boot-log.js';
import { ProgressHeartbeat } from './progress-heartbeat.js';
import {
  erroredBy,
  erroredWith,
  errorMessageOf,
  levels,
  messageOf,
  type ProvisionResult,
} from './provision-result.js';
import { ProvisionTrace } from './provision-trace.js';
import type { ProvisionContext, ProvisionOutcome, WorkspaceRuntime } from './runtime.js';
import type { Workspace } from './workspace.js';
import type { WorkspaceAgents } from './workspaces-deps.js';

interface ProvisionerOptions {
  readonly buildSlots: number;
  readonly timeoutMs: number;
  readonly progressIntervalMs: number;
}

interface Job {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

const eventsOf: Readonly<Record<Workspace['provisionKind'], readonly [done: string, failed: string]>> = {
  create: ['created', 'provisioning_failed'],
  restart: ['restarted', 'restart_failed'],
  rebuild: ['rebuilt', 'rebuild_failed'],
};

/**
 * Provisions workspaces in the background, a bounded number at once, and reports the result to the
 * control plane.
 */
export class Provisioner implements AsyncDisposable {
  /** Refused callback tokens by workspace; pending callbacks wait for a new token. */
  private readonly refusedTokens = new Map<string, string>();
  private readonly jobs = new Map<string, Job>();
  private readonly slots: Semaphore;
  private readonly ended = new AbortController();

  constructor(
    private readonly options: ProvisionerOptions,
    private readonly deps: {
      readonly runtime: WorkspaceRuntime;
      readonly agents: Pick<WorkspaceAgents, 'resumeWorkspace'>;
      readonly store: WorkspaceStore;
      readonly bootLog: BootLog;
      readonly callbacks: WorkspaceCallbacks;
      readonly events: Pick<EventStore, 'add'>;
      /** The load of the machine, for timeouts. */
      readonly diagnose: () => Promise<ResourceDiagnostics>;
      readonly log: Log;
    },
  ) {
    this.slots = new Semaphore(options.buildSlots);
  }

  /** Number of queued and running jobs. */
  get count(): number {
    return this.jobs.size;
  }

  begin(workspace: Workspace): void {
    const controller = new AbortController();
    const done = this.run(workspace, controller.signal)
      .catch((error: unknown) =>
        this.deps.log.error('Provisioning failed unexpectedly', {
          workspaceId: workspace.workspaceId,
          error,
        }),
      )
      .finally(() => this.jobs.delete(workspace.workspaceId));
    this.jobs.set(workspace.workspaceId, { controller, done });
  }

  /** Aborts the provisioning of a workspace; resolves when no work on it remains. */
  async abort(workspaceId: string): Promise<void> {
    const job = this.jobs.get(workspaceId);
    job?.controller.abort(new Error('Workspace stopped'));
    await job?.done;
  }

  /** Sends callbacks that the control plane has not acknowledged; called after each heartbeat. */
  async deliverPending(): Promise<void> {
    const pending = this.deps.store.list().filter((workspace) => workspace.pendingCallback !== null);
    await Promise.all(
      pending
        .filter(({ workspaceId }) => !this.jobs.has(workspaceId))
        .filter(({ workspaceId, callbackToken }) => this.refusedTokens.get(workspaceId) !== callbackToken)
        .map((workspace) => this.deliverCallback(workspace, this.ended.signal)),
    );
  }

  /** Unfinished workspaces stay `creating` and are continued at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort(new Error('The agent is shutting down'));
    await Promise.all([...this.jobs.values()].map((job) => job.done));
  }

  private async run(workspace: Workspace, aborted: AbortSignal): Promise<void> {
    const { store, callbacks, log } = this.deps;
    const stopped = AbortSignal.any([aborted, this.ended.signal]);
    // Also while it waits for a slot, and until the result is reported.
    await using _heartbeat = new ProgressHeartbeat(workspace, {
      callbacks,
      log,
      intervalMs: this.options.progressIntervalMs,
    });
    const result = await this.provision(workspace, stopped);
    if (stopped.aborted || result === null) return;
    const { outcome, failure } = result;
    const moved = store.move(workspace, {
      from: ['creating'],
      to: outcome,
      errorMessage: errorMessageOf(result),
      pendingCallback: failure === null ? 'ready' : 'failed',
    });
    if (moved) this.record(workspace, result);
    if (moved && failure === null) this.deps.agents.resumeWorkspace(workspace.workspaceId);
    const current = store.find(workspace.workspaceId);
    if (moved && current) await this.deliverCallback(current, stopped);
  }

  private record({ workspaceId, provisionKind, generation }: Workspace, result: ProvisionResult): void {
    const { outcome, failure } = result;
    const resources = 'resources' in result ? result.resources : undefined;
    const [done, failed] = eventsOf[provisionKind];
    this.deps.events.add({
      workspaceId,
      level: levels[outcome],
      type: `workspace.${failure === null ? done : failed}`,
      message: messageOf(result),
      detail: { generation, ...(resources && { resourceDiagnostics: resources }) },
    });
  }

  /** Null when it was stopped. */
  private async provision(workspace: Workspace, stopped: AbortSignal): Promise<ProvisionResult | null> {
    const { runtime, bootLog, log } = this.deps;
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const signal = AbortSignal.any([stopped, timeout]);
    const trace = new ProvisionTrace();
    try {
      const outcome = await this.slots.run(signal, () => this.work(workspace, { signal, trace }));
      signal.throwIfAborted();
      bootLog.add(workspace, {
        step: 'workspace_ready',
        status: 'completed',
        message: 'Workspace is ready',
      });
      return { outcome, failure: null, fallback: trace.fallback };
    } catch (error) {
      if (stopped.aborted) return null;
      log.warn('Provisioning failed', { workspaceId: workspace.workspaceId, error });
      const result = timeout.aborted ? await this.timedOut(trace) : erroredBy(error);
      await runtime
        .stop(workspace.workspaceId)
        .catch((cause: unknown) => log.warn('Failed workspace was not stopped', { cause }));
      return result;
    }
  }

  private async timedOut(trace: ProvisionTrace): Promise<ProvisionResult> {
    const seconds = Math.round(this.options.timeoutMs / 1_000);
    const resources = await this.deps.diagnose();
    const failure = `The workspace was not ready after ${seconds} s. ${resources.message} ${trace.text}`;
    return erroredWith(failure, resources);
  }

  private work(
    workspace: Workspace,
    { signal, trace }: { readonly signal: AbortSignal; readonly trace: ProvisionTrace },
  ): Promise<ProvisionOutcome> {
    const { runtime, bootLog } = this.deps;
    const context: ProvisionContext = {
      signal,
      step: (name, message, work) => {
        signal.throwIfAborted();
        trace.begin(message);
        return bootLog.step(workspace, { step: name, message }, work);
      },
      report: (entry) => bootLog.add(workspace, entry),
      output: (text) => trace.add(text),
      fallback: (reason) => {
        trace.fallback = reason;
      },
    };
    return workspace.provisionKind === 'create'
      ? runtime.provision(workspace, context)
      : runtime.restartOrRebuild(workspace, context);
  }

  private async deliverCallback(workspace: Workspace, signal: AbortSignal): Promise<void> {
    const { callbacks, store, log } = this.deps;
    const { workspaceId, pendingCallback } = workspace;
    try {
      if (pendingCallback === 'failed') await callbacks.provisioningFailed(workspace, signal);
      else await callbacks.ready(workspace, signal);
      store.callbackAnswered(workspace, pendingCallback);
    } catch (error) {
      if (error instanceof CallbackRefused) this.callbackRefused(workspace, error);
      log.warn('Callback failed', { workspaceId, pendingCallback, error });
    }
  }

  /** A refusal is final, except for a refused token, which may be replaced. */
  private callbackRefused(workspace: Workspace, { status }: CallbackRefused): void {
    const { workspaceId, callbackToken, pendingCallback } = workspace;
    if (status === 401) this.refusedTokens.set(workspaceId, callbackToken);
    else this.deps.store.callbackAnswered(workspace, pendingCallback);
  }
}
