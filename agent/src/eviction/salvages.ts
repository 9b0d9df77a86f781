import { setTimeout as wait } from 'node:timers/promises';
import type { PromptFence } from '../agent-sessions/prompt-fence.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import type { KernelKill } from '../pressure/kernel-kill.js';
import type { Log } from '../shared/log.js';
import type { Captures } from '../snapshots/captures.js';
import type { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import { StreamLimit } from '../streams/byte-budget.js';
import { isRunning, type Workspace } from '../workspaces/workspace.js';
import type { EvictionDeliveries } from './deliveries.js';
import type { EvictionDelivery } from './delivery-store.js';
import type { EvictedActivity } from './evicted-activity.js';
import { captureToEvict, evictionOf } from './eviction-captures.js';
import { type EvictionContainers, type FoundContainer, plainProcess } from './eviction-containers.js';
import type { EvictionStops } from './eviction-stops.js';
import { capturedSession, type EvictionTarget, isSameLife } from './eviction-target.js';
import type { SalvageContainers } from './salvage-containers.js';
import type { WorkInFlight } from './work-in-flight.js';

interface SalvagesDeps {
  readonly store: WorkspaceStore;
  readonly records: Pick<SessionRecords, 'list'>;
  readonly stops: Pick<EvictionStops, 'begin'>;
  readonly deliveries: Pick<EvictionDeliveries, 'deliver'>;
  readonly containers: Pick<EvictionContainers, 'find'>;
  readonly helpers: Pick<SalvageContainers, 'open' | 'sweep'>;
  readonly captures: Pick<Captures, 'toEvict'>;
  /** Reads the files in a helper. */
  readonly capture: WorkspaceCapture;
  readonly work: Pick<WorkInFlight, 'wasAt'>;
  readonly prompts: Pick<PromptFence, 'close'>;
  readonly activity: EvictedActivity;
  readonly exclusively: <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;
  readonly events: Pick<EventStore, 'add'>;
  /** The kernel's record of its kill in the container; null when there is none. */
  readonly kernelKill: (containerId: string) => Pick<KernelKill, 'largest'> | null;
  readonly log: Log;
}

/** An upload or an answer may fail for a moment. Parts of the time between two evictions. */
const retryParts = [1 / 6, 1];

const uncaptured =
  'The workspace ran out of memory, and its files could not be saved. They are on the node: restart it to continue.';

/** Evicts workspaces whose container died of memory: their remains are captured. */
export class Salvages implements AsyncDisposable {
  private readonly running = new Map<string, Promise<void>>();
  private readonly ended = new AbortController();

  constructor(
    private readonly options: { readonly snapshotTimeoutMs: number; readonly debounceMs: number },
    private readonly deps: SalvagesDeps,
  ) {}

  /** Removes helpers of an earlier run of the agent. */
  start(): Promise<void> {
    return this.deps.helpers.sweep();
  }

  /**
   * Takes a workspace that does not run. False: it did not die of memory, or it cannot be captured.
   * The caller holds the lock of the workspace.
   */
  async take(workspace: Workspace): Promise<boolean> {
    const { containers, records, log } = this.deps;
    const { workspaceId } = workspace;
    if (this.running.has(workspaceId)) return true;
    const container = await containers.find(workspaceId);
    if (!container?.diedOfMemory) return false;
    const session = capturedSession(records.list(workspaceId));
    if (session) {
      const cause = this.causeOf(container);
      await this.begin(
        { workspace, containerId: container.id, session, reason: 'oom_kill', cause },
        container,
      );
      return true;
    }
    log.warn('Workspace ran out of memory and has no chat to capture: it is started again', { workspaceId });
    return false;
  }

  /** Waits for the captures, which the next run begins again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await Promise.all(this.running.values());
  }

  private async begin(target: EvictionTarget, { finishedAt }: FoundContainer): Promise<void> {
    const { work, activity, prompts, events } = this.deps;
    const { workspaceId } = target.workspace;
    const closing = prompts.close(workspaceId);
    const hadWork = work.wasAt(workspaceId, finishedAt);
    const message = 'The workspace ran out of memory. Its files are being saved';
    events.add({ workspaceId, level: 'warn', type: 'workspace.out_of_memory', message });
    try {
      await activity.suspendAgents(workspaceId, 'oom_kill');
      await activity.endOthers(workspaceId);
    } catch (error) {
      closing[Symbol.dispose]();
      throw error;
    }
    const ended = this.run(target, hadWork).finally(() => {
      this.running.delete(workspaceId);
      closing[Symbol.dispose]();
    });
    this.running.set(workspaceId, ended);
  }

  private async run(target: EvictionTarget, isWorkInFlight: boolean): Promise<void> {
    const { exclusively, deliveries, log } = this.deps;
    const { workspaceId } = target.workspace;
    try {
      if (!(await this.captureRepeatedly(target))) return;
      const row = await exclusively(workspaceId, () => this.markDead(target, isWorkInFlight));
      if (row) await deliveries.deliver(row.id);
    } catch (error) {
      // The next run of the agent tries again.
      if (this.ended.signal.aborted) return;
      log.error('Workspace that ran out of memory could not be captured', { workspaceId, error });
      await exclusively(workspaceId, () => this.leaveUncaptured(target)).catch((failure: unknown) =>
        log.error('Workspace that ran out of memory could not be marked', { workspaceId, error: failure }),
      );
    }
  }

  /** False: the workspace has changed since, and there is nothing to do. */
  private async captureRepeatedly(
    target: EvictionTarget,
    delaysMs = retryParts.map((part) => part * this.options.debounceMs),
  ): Promise<boolean> {
    const { workspaceId } = target.workspace;
    const [delayMs, ...others] = delaysMs;
    try {
      await this.captureRemains(target);
      return true;
    } catch (error) {
      if (delayMs === undefined || error instanceof StreamLimit || this.ended.signal.aborted) throw error;
      this.deps.log.warn('Capture of a dead container failed', { workspaceId, error, delayMs });
    }
    await wait(delayMs, undefined, { signal: this.ended.signal });
    return (await this.current(target)) !== null && this.captureRepeatedly(target, others);
  }

  private async captureRemains(target: EvictionTarget): Promise<void> {
    const { helpers, captures, capture } = this.deps;
    const deadline = Date.now() + this.options.snapshotTimeoutMs;
    await using _ = await helpers.open(target.workspace.workspaceId, target.containerId);
    await captureToEvict(captures, target, { deadline, capture });
  }

  private async markDead(target: EvictionTarget, isWorkInFlight: boolean): Promise<EvictionDelivery | null> {
    const current = await this.current(target);
    return current && this.deps.stops.begin(current, evictionOf(target, { isStopped: true, isWorkInFlight }));
  }

  /** It is not started from files that nobody has looked at: a person decides. */
  private async leaveUncaptured(target: EvictionTarget): Promise<void> {
    const current = await this.current(target);
    if (!current) return;
    const from = ['running', 'recovering'] as const;
    this.deps.store.move(current, {
      from,
      to: 'errored',
      errorMessage: uncaptured,
      pendingCallback: 'failed',
    });
    const { workspaceId } = current;
    const type = 'workspace.salvage_failed';
    this.deps.events.add({ workspaceId, level: 'error', type, message: uncaptured });
  }

  private async current(target: EvictionTarget): Promise<Workspace | null> {
    const { store, containers } = this.deps;
    const { workspaceId } = target.workspace;
    const container = await containers.find(workspaceId);
    const current = store.find(workspaceId);
    const isCurrent = container?.id === target.containerId && !container.isRunning;
    return isCurrent && isSameLife(current, target) && isRunning(current) ? current : null;
  }

  private causeOf({ id, memoryLimitBytes: bytes }: FoundContainer): EvictionTarget['cause'] {
    if (bytes === 0) return null;
    const { largest } = this.deps.kernelKill(id) ?? {};
    const largestProcess = plainProcess(largest && { name: largest.name, bytes: largest.memoryBytes });
    return { usedBytes: bytes, limitBytes: bytes, ...(largestProcess ? { largestProcess } : {}) };
  }
}
