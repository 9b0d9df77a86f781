import type { EvictionCause } from '../../../protocol/eviction.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import type {
  ContainerOomEvent,
  ContainerUse,
  NodePressureEvent,
  PressureEvent,
  PressureSource,
} from '../pressure/pressure.js';
import type { Log } from '../shared/log.js';
import { untilAborted } from '../shared/with-timeout.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import { isRunning } from '../workspaces/workspace.js';
import type { EvictionContainers } from './eviction-containers.js';
import { capturedSession, type EvictionTarget } from './eviction-target.js';
import type { Evictions } from './evictions.js';

interface ControllerDeps {
  readonly evictions: Pick<Evictions, 'evict'>;
  readonly records: Pick<SessionRecords, 'list'>;
  readonly store: Pick<WorkspaceStore, 'find'>;
  readonly containers: Pick<EvictionContainers, 'find' | 'largestProcess'>;
  /** Starts a workspace again that ended, or captures it when it ran out of memory. */
  readonly recover: (workspaceId: string) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

interface ControllerOptions {
  /** The shortest time between two attempts. */
  readonly debounceMs: number;
  readonly resolveTimeoutMs: number;
}

/** Acts on the events of the resource guard, one after the other. */
export class EvictionController implements AsyncDisposable {
  private readonly ended = new AbortController();
  private lastAttemptAt = Number.NEGATIVE_INFINITY;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: ControllerOptions,
    private readonly deps: ControllerDeps,
  ) {}

  start(source: PressureSource): void {
    this.working = this.follow(source).catch((error: unknown) =>
      this.deps.log.error('Eviction controller stopped', { error }),
    );
  }

  /** Waits for the eviction in progress; the source may end later. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await this.working;
  }

  private async follow(source: PressureSource): Promise<void> {
    const events = source.events()[Symbol.asyncIterator]();
    const { signal } = this.ended;
    while (!signal.aborted) {
      const next = await untilAborted(events.next(), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!next || next.done) return;
      await this.handle(next.value, source);
    }
  }

  private async handle(event: PressureEvent, source: PressureSource): Promise<void> {
    try {
      if (event.type === 'container_oom') await this.onDeath(event);
      else await this.onPressure(event, source);
    } catch (error) {
      this.deps.log.warn('Eviction failed: the workspace goes on', { event: event.type, error });
    }
  }

  /**
   * The engine's events lead there too. The recovery takes exactly the container that is there now:
   * it sees a death of memory on the container itself, and an older one has been replaced.
   */
  private async onDeath({ workspaceId, containerId, occurredAt }: ContainerOomEvent): Promise<void> {
    if (!workspaceId) return;
    const container = await this.deps.containers.find(workspaceId);
    if (container?.id !== containerId || container.startedAt > occurredAt) return;
    await this.deps.recover(workspaceId);
  }

  private async onPressure(event: NodePressureEvent, source: PressureSource): Promise<void> {
    const { now, evictions, log } = this.deps;
    const { type, level, containers, collectedAt } = event;
    if (level === 'warning') {
      log.warn('Node is under pressure', { type, largest: containers[0]?.name });
      return;
    }
    const isCritical = () => source.level(type) === 'critical';
    if (!isCritical() || now() - this.lastAttemptAt < this.options.debounceMs) return;
    // The pressure that was measured before the last attempt ended may have passed.
    if (collectedAt.getTime() <= this.lastAttemptAt) return;
    const victim = await this.victim(source);
    if (!victim) {
      log.warn('Node is under critical pressure, and no workspace can be evicted', { type });
      return;
    }
    const target = type === 'disk_pressure' ? shortOfDisk(victim) : victim;
    const { workspaceId } = target.workspace;
    log.warn('Workspace is being evicted', { workspaceId, type, cause: target.cause });
    try {
      const isEvicted = await evictions.evict(target, isCritical);
      if (!isEvicted) log.info('Workspace is not evicted: the pressure has passed', { workspaceId });
    } finally {
      this.lastAttemptAt = now();
    }
  }

  /** The first that can be evicted, largest memory first. */
  private async victim(source: PressureSource): Promise<EvictionTarget | null> {
    const used = await source.sample(AbortSignal.timeout(this.options.resolveTimeoutMs));
    const refused = new Set<string>();
    for (const use of used) {
      const { workspaceId } = use;
      if (!workspaceId || refused.has(workspaceId)) continue;
      const target = await this.targetOf(workspaceId, use);
      if (target) return target;
      refused.add(workspaceId);
    }
    return null;
  }

  private async targetOf(workspaceId: string, use: ContainerUse): Promise<EvictionTarget | null> {
    const { store, containers, records, log } = this.deps;
    const workspace = store.find(workspaceId);
    if (!workspace || !isRunning(workspace)) return null;
    const session = capturedSession(records.list(workspaceId));
    if (!session) {
      log.warn('Workspace has no chat of a project: it cannot be captured, and is not evicted', {
        workspaceId,
      });
      return null;
    }
    const container = await containers.find(workspaceId);
    if (!container?.isRunning) return null;
    const cause = await this.causeOf(use);
    return { workspace, containerId: container.id, session, reason: 'memory_pressure', cause };
  }

  private async causeOf({ id, memoryBytes, memoryLimitBytes }: ContainerUse): Promise<EvictionCause> {
    const largestProcess = await this.deps.containers.largestProcess(id).catch(() => undefined);
    return {
      usedBytes: Math.round(memoryBytes),
      ...(memoryLimitBytes > 0 ? { limitBytes: Math.round(memoryLimitBytes) } : {}),
      ...(largestProcess ? { largestProcess } : {}),
    };
  }
}

const shortOfDisk = ({ cause, ...target }: EvictionTarget): EvictionTarget => ({
  ...target,
  cause: cause && { ...cause, shortOf: 'disk' },
});
