import type { PromptFence } from '../agent-sessions/prompt-fence.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { writeAsleepMarker } from '../snapshots/asleep-marker.js';
import type { CapturedState, Captures } from '../snapshots/captures.js';
import { changedFiles } from '../snapshots/changes-since.js';
import { snapshotKey } from '../snapshots/workspace-restore.js';
import { WorkspaceShell } from '../snapshots/workspace-shell.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import { isRunning, type Workspace } from '../workspaces/workspace.js';
import type { EvictionDeliveries } from './deliveries.js';
import type { EvictionDelivery } from './delivery-store.js';
import { captureToEvict, evictionOf } from './eviction-captures.js';
import type { EvictionContainers } from './eviction-containers.js';
import type { EvictionStops } from './eviction-stops.js';
import { type EvictionTarget, isSameLife } from './eviction-target.js';
import type { WorkInFlight } from './work-in-flight.js';

interface EvictionsDeps {
  readonly store: WorkspaceStore;
  readonly stops: Pick<EvictionStops, 'begin'>;
  readonly deliveries: Pick<EvictionDeliveries, 'deliver'>;
  readonly containers: Pick<EvictionContainers, 'find'>;
  readonly captures: Pick<Captures, 'toEvict'>;
  readonly commands: WorkspaceCommands;
  readonly work: Pick<WorkInFlight, 'isNow'>;
  readonly prompts: Pick<PromptFence, 'close' | 'count'>;
  /** Runs work on a workspace while no request changes it. */
  readonly exclusively: <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;
}

interface StopConditions {
  readonly isStillNeeded: () => boolean;
  readonly hadWork: boolean;
}

const checkTimeoutMs = 30_000;

/** Evicts workspaces that run. The state table is in docs/agent-eviction.md. */
export class Evictions {
  constructor(
    private readonly options: { readonly snapshotTimeoutMs: number },
    private readonly deps: EvictionsDeps,
  ) {}

  /**
   * Captures, fences and stops a workspace. False: it changed, or the reason has passed.
   * @throws when the capture or the stop fails: the workspace goes on
   */
  async evict(target: EvictionTarget, isStillNeeded: () => boolean): Promise<boolean> {
    const { prompts, work, exclusively, captures, deliveries } = this.deps;
    const { workspaceId } = target.workspace;
    const deadline = Date.now() + this.options.snapshotTimeoutMs;
    const first = await captureToEvict(captures, target, { deadline });
    if (!isStillNeeded()) return false;
    using _ = prompts.close(workspaceId);
    const hadWork = work.isNow(workspaceId);
    const last = (await this.isUnchanged(target, first))
      ? first
      : await captureToEvict(captures, target, { deadline });
    // A restore on this node keeps the files, which are those of the capture or newer.
    await writeAsleepMarker(this.shell(target.workspace), snapshotKey(last.complete.manifest));
    const stopped = await exclusively(workspaceId, () => this.stop(target, { isStillNeeded, hadWork }));
    if (stopped) await deliveries.deliver(stopped.id);
    return stopped !== null;
  }

  /**
   * No prompt begins any more. What changed since the first capture is captured once more; after
   * that only tools that still run write, and the report says so.
   */
  private async isUnchanged({ workspace }: EvictionTarget, first: CapturedState): Promise<boolean> {
    if (this.deps.prompts.count(workspace.workspaceId) !== first.prompts) return false;
    return (await changedFiles(this.shell(workspace), first.hashes)) === null;
  }

  private shell(workspace: Workspace): WorkspaceShell {
    return new WorkspaceShell(this.deps.commands, workspace, AbortSignal.timeout(checkTimeoutMs));
  }

  private async stop(target: EvictionTarget, conditions: StopConditions): Promise<EvictionDelivery | null> {
    const current = await this.current(target);
    if (!current || !conditions.isStillNeeded()) return null;
    const isWorkInFlight = conditions.hadWork || this.deps.work.isNow(current.workspaceId);
    return this.deps.stops.begin(current, evictionOf(target, { isStopped: false, isWorkInFlight }));
  }

  private async current(target: EvictionTarget): Promise<Workspace | null> {
    const { store, containers } = this.deps;
    const { workspaceId } = target.workspace;
    const container = await containers.find(workspaceId);
    const current = store.find(workspaceId);
    const isCurrent = container?.id === target.containerId && container.isRunning;
    return isCurrent && isSameLife(current, target) && isRunning(current) ? current : null;
  }
}
