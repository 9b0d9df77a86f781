import { ulid } from 'ulid';
import type { PromptFence } from '../agent-sessions/prompt-fence.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { Log } from '../shared/log.js';
import { writeAsleepMarker } from '../snapshots/asleep-marker.js';
import type { CapturedState, Captures } from '../snapshots/captures.js';
import { changedFiles } from '../snapshots/changes-since.js';
import type { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import { snapshotKey } from '../snapshots/workspace-restore.js';
import { WorkspaceShell } from '../snapshots/workspace-shell.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import { isRunning, type Workspace } from '../workspaces/workspace.js';
import type { EvictionDeliveries } from './deliveries.js';
import type { EvictionDelivery, EvictionDeliveryStore } from './delivery-store.js';
import type { EvictionContainers, FoundContainer } from './eviction-containers.js';
import { type CapturedSession, capturedSession, type EvictionTarget, isSameLife } from './eviction-target.js';
import { evictionText } from './eviction-text.js';
import type { SalvageContainers } from './salvage-containers.js';
import type { WorkInFlight } from './work-in-flight.js';

/** What ends in a workspace when it is evicted. */
export interface EvictedActivity {
  /** Ends its agents, their snapshots and its resource history. */
  suspendAgents(workspaceId: string, reason: EvictionTarget['reason']): Promise<void>;
  resumeAgents(workspaceId: string): void;
  failAgents(workspaceId: string, message: string): void;
  /** Ends terminals and provisioning. */
  endOthers(workspaceId: string): Promise<void>;
  /** Ends everything that still runs in its containers. */
  stopContainers(workspaceId: string): Promise<void>;
}

export interface EvictionsDeps {
  readonly store: WorkspaceStore;
  readonly records: Pick<SessionRecords, 'list'>;
  readonly deliveryStore: EvictionDeliveryStore;
  readonly deliveries: Pick<EvictionDeliveries, 'deliver'>;
  readonly containers: Pick<EvictionContainers, 'find' | 'stop' | 'largestProcess'>;
  readonly salvages: Pick<SalvageContainers, 'open' | 'sweep'>;
  readonly captures: Pick<Captures, 'toEvict'>;
  /** Reads the files of the helper of a dead container. */
  readonly salvageCapture: WorkspaceCapture;
  readonly commands: WorkspaceCommands;
  readonly work: WorkInFlight;
  readonly prompts: Pick<PromptFence, 'close' | 'count'>;
  readonly activity: EvictedActivity;
  /** Runs work on a workspace while no request changes it. */
  readonly exclusively: <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

const checkTimeoutMs = 30_000;

/** Evicts one workspace. The state table is in docs/agent-eviction.md. */
export class Evictions {
  private readonly salvaging = new Map<string, Promise<void>>();
  private isShutDown = false;

  constructor(
    private readonly options: { readonly snapshotTimeoutMs: number },
    private readonly deps: EvictionsDeps,
  ) {}

  /** The session that a capture would belong to. Null: the workspace cannot be evicted. */
  sessionOf(workspaceId: string): CapturedSession | null {
    return capturedSession(this.deps.records.list(workspaceId));
  }

  /**
   * Captures, fences and stops a running workspace. Resolves to false when it changed, or the reason
   * has passed. @throws when the capture or the stop fails: the workspace goes on
   */
  async evict(target: EvictionTarget, isStillNeeded: () => boolean): Promise<boolean> {
    const { prompts, work, exclusively } = this.deps;
    const { workspaceId } = target.workspace;
    const deadline = Date.now() + this.options.snapshotTimeoutMs;
    const first = await this.capture(target, deadline);
    if (!isStillNeeded()) return false;
    using _ = prompts.close(workspaceId);
    const hadWork = work.isNow(workspaceId);
    const last = await this.captureAgainIfChanged(target, first, deadline);
    await this.markAsleep(target, last);
    const stopped = await exclusively(workspaceId, () => this.stop(target, { isStillNeeded, hadWork }));
    if (stopped) await this.deps.deliveries.deliver(stopped.id);
    return stopped !== null;
  }

  /**
   * Takes a workspace whose container died of memory: it is captured from its remains. False: it did
   * not, or it cannot be captured. The caller holds the lock of the workspace.
   */
  async salvage(workspace: Workspace): Promise<boolean> {
    const { containers, work, activity, log } = this.deps;
    const { workspaceId } = workspace;
    if (this.salvaging.has(workspaceId)) return true;
    const container = await containers.find(workspaceId);
    const session = this.sessionOf(workspaceId);
    if (!container?.diedOfMemory) return false;
    if (!session) {
      log.warn('Workspace ran out of memory and has no chat to capture: it is started again', {
        workspaceId,
      });
      return false;
    }
    const closing = this.deps.prompts.close(workspaceId);
    const hadWork = work.wasAt(workspaceId, container.finishedAt);
    const bytes = container.memoryLimitBytes;
    const cause = bytes > 0 ? { usedBytes: bytes, limitBytes: bytes } : null;
    const target = { workspace, containerId: container.id, session, reason: 'oom_kill', cause } as const;
    const message = 'The workspace ran out of memory. Its files are being saved';
    this.deps.events.add({ workspaceId, level: 'warn', type: 'workspace.out_of_memory', message });
    await activity.suspendAgents(workspaceId, 'oom_kill');
    await activity.endOthers(workspaceId);
    const ended = this.captureRemains(target, hadWork).finally(() => {
      this.salvaging.delete(workspaceId);
      closing[Symbol.dispose]();
    });
    this.salvaging.set(workspaceId, ended);
    return true;
  }

  /** Ends an eviction that has begun. The caller holds the lock of the workspace. */
  async reconcile(workspaceId: string): Promise<void> {
    const { store, deliveryStore, containers, activity } = this.deps;
    const workspace = store.find(workspaceId);
    if (!workspace?.isEvicted) return;
    if (workspace.status === 'evicted') {
      await activity.stopContainers(workspaceId);
      activity.failAgents(workspaceId, workspace.errorMessage ?? evictionText.memory_pressure);
      return;
    }
    const row = deliveryStore.unstopped(workspace);
    const container = await containers.find(workspaceId);
    // Another container than the one that was captured is no part of the eviction.
    if (!row || (container && container.id !== row.container_id)) return this.withdraw(workspace);
    await activity.suspendAgents(workspaceId, row.reason);
    await this.stopContainer(workspace, row);
  }

  /** Removes helpers of an earlier run of the agent. */
  start(): Promise<void> {
    return this.deps.salvages.sweep();
  }

  /** Waits for the captures of dead containers, which the next run begins again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isShutDown = true;
    await Promise.all(this.salvaging.values());
  }

  private capture(
    target: EvictionTarget,
    deadline: number,
    capture?: WorkspaceCapture,
  ): Promise<CapturedState> {
    const { workspace, session, reason } = target;
    const { workspaceId, evictionGeneration } = workspace;
    const { sessionId, chatSessionId } = session;
    const eviction = evictionGeneration === '' ? { reason } : { reason, evictionGeneration };
    const timeoutMs = Math.max(1, deadline - Date.now());
    const names = { workspaceId, sessionId, chatSessionId, operationId: ulid() };
    return this.deps.captures.toEvict({ ...names, eviction, timeoutMs, capture });
  }

  /**
   * No prompt begins any more. What changed since the first capture is captured once more; after
   * that only tools that still run write, and the report says so.
   */
  private async captureAgainIfChanged(
    target: EvictionTarget,
    first: CapturedState,
    deadline: number,
  ): Promise<CapturedState> {
    const { workspaceId } = target.workspace;
    const isUnchanged =
      this.deps.prompts.count(workspaceId) === first.prompts &&
      (await changedFiles(this.shell(target.workspace), first.hashes)) === null;
    return isUnchanged ? first : this.capture(target, deadline);
  }

  /** A restore on this node keeps the files, which are the capture's or newer. */
  private async markAsleep({ workspace }: EvictionTarget, { complete }: CapturedState): Promise<void> {
    await writeAsleepMarker(this.shell(workspace), snapshotKey(complete.manifest));
  }

  private shell(workspace: Workspace): WorkspaceShell {
    return new WorkspaceShell(this.deps.commands, workspace, AbortSignal.timeout(checkTimeoutMs));
  }

  private async stop(
    target: EvictionTarget,
    { isStillNeeded, hadWork }: { readonly isStillNeeded: () => boolean; readonly hadWork: boolean },
  ): Promise<EvictionDelivery | null> {
    const { store, containers, deliveryStore, activity, work } = this.deps;
    const { workspaceId } = target.workspace;
    const container = await containers.find(workspaceId);
    const current = store.find(workspaceId);
    if (!isSameLife(current, target) || !isRunning(current)) return null;
    if (container?.id !== target.containerId || !container.isRunning || !isStillNeeded()) return null;
    const isWorkInFlight = hadWork || work.isNow(workspaceId);
    const row = deliveryStore.record(current, { ...eviction(target), isStopped: false, isWorkInFlight });
    if (!row) return null;
    await activity.suspendAgents(workspaceId, target.reason);
    return (await this.stopContainer(current, row)) ? row : null;
  }

  /** Stops the container of a fence. @throws when it goes on, or is out of reach */
  private async stopContainer(workspace: Workspace, row: EvictionDelivery): Promise<boolean> {
    const { containers, deliveryStore } = this.deps;
    const { workspaceId } = workspace;
    try {
      await containers.stop(row.container_id);
    } catch (error) {
      // Out of reach of the engine, the fence stays until it is known.
      const container = await containers.find(workspaceId);
      if (container?.isRunning && container.id === row.container_id) {
        this.withdraw(workspace);
        throw error;
      }
    }
    if (!deliveryStore.stopped(workspace, row)) return false;
    await this.finish(workspace, row);
    return true;
  }

  private withdraw(workspace: Workspace): void {
    const { deliveryStore, activity, events } = this.deps;
    const { workspaceId } = workspace;
    if (!deliveryStore.withdraw(workspace)) return;
    activity.resumeAgents(workspaceId);
    const message = 'The workspace could not be stopped to evict it: it goes on';
    events.add({ workspaceId, level: 'warn', type: 'workspace.eviction_withdrawn', message });
  }

  /** The store says that it is evicted. Each of this may be repeated. */
  private async finish({ workspaceId }: Workspace, row: EvictionDelivery): Promise<void> {
    const { activity, events, log } = this.deps;
    const message = evictionText[row.reason];
    activity.failAgents(workspaceId, message);
    const detail = {
      reason: row.reason,
      containerId: row.container_id,
      snapshotCaptured: true,
      containerStopped: true,
      workInFlight: row.work_in_flight,
    };
    events.add({ workspaceId, level: 'warn', type: 'workspace.evicted', message, detail });
    log.warn('Workspace evicted', { workspaceId, ...detail });
    await activity.endOthers(workspaceId);
    await activity.stopContainers(workspaceId).catch((error: unknown) => {
      log.warn('Containers beside an evicted one could not be stopped', { workspaceId, error });
    });
  }

  private async captureRemains(target: EvictionTarget, isWorkInFlight: boolean): Promise<void> {
    const { salvages, salvageCapture, exclusively, deliveries, log } = this.deps;
    const { workspaceId } = target.workspace;
    const deadline = Date.now() + this.options.snapshotTimeoutMs;
    try {
      {
        await using _ = await salvages.open(workspaceId, target.containerId);
        await this.capture(target, deadline, salvageCapture);
      }
      const row = await exclusively(workspaceId, () => this.markDead(target, isWorkInFlight));
      if (row) await deliveries.deliver(row.id);
    } catch (error) {
      // The next run of the agent tries again.
      if (this.isShutDown) return;
      log.error('Workspace that ran out of memory could not be captured', { workspaceId, error });
      await exclusively(workspaceId, async () => this.leaveUncaptured(target));
    }
  }

  private async markDead(target: EvictionTarget, isWorkInFlight: boolean): Promise<EvictionDelivery | null> {
    const current = await this.currentRemains(target);
    if (!current) return null;
    const { deliveryStore } = this.deps;
    const row = deliveryStore.record(current, { ...eviction(target), isStopped: true, isWorkInFlight });
    if (row) await this.finish(current, row);
    return row;
  }

  /** It is not started from files that nobody has looked at: a person decides. */
  private async leaveUncaptured(target: EvictionTarget): Promise<void> {
    const current = await this.currentRemains(target);
    if (!current) return;
    const errorMessage =
      'The workspace ran out of memory, and its files could not be saved. They are on the node: restart it to continue.';
    this.deps.store.move(current, {
      from: ['running', 'recovering'],
      to: 'errored',
      errorMessage,
      pendingCallback: 'failed',
    });
    const { workspaceId } = current;
    this.deps.events.add({
      workspaceId,
      level: 'error',
      type: 'workspace.salvage_failed',
      message: errorMessage,
    });
  }

  private async currentRemains(target: EvictionTarget): Promise<Workspace | null> {
    const { store, containers } = this.deps;
    const { workspaceId } = target.workspace;
    const container: FoundContainer | null = await containers.find(workspaceId);
    const current = store.find(workspaceId);
    const isCurrent = container?.id === target.containerId && !container.isRunning;
    return isCurrent && isSameLife(current, target) && isRunning(current) ? current : null;
  }
}

function eviction({ session, containerId, reason, cause }: EvictionTarget) {
  return { projectId: session.projectId, containerId, reason, cause };
}
