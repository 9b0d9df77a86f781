import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { EvictionDelivery, EvictionDeliveryStore, NewEviction } from './delivery-store.js';
import type { EvictedActivity } from './evicted-activity.js';
import type { EvictionContainers } from './eviction-containers.js';
import { evictionText } from './eviction-text.js';

export interface EvictionStopsDeps {
  readonly store: WorkspaceStore;
  readonly deliveryStore: EvictionDeliveryStore;
  readonly containers: Pick<EvictionContainers, 'find' | 'stop'>;
  readonly activity: EvictedActivity;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

/**
 * From the fence of a captured workspace to its end. Each step may be repeated by the next run of
 * the agent. The caller holds the lock of the workspace.
 */
export class EvictionStops {
  constructor(private readonly deps: EvictionStopsDeps) {}

  /** Null when the workspace has changed. @throws when the container goes on */
  async begin(workspace: Workspace, eviction: NewEviction): Promise<EvictionDelivery | null> {
    const row = this.deps.deliveryStore.record(workspace, eviction);
    if (!row) return null;
    if (eviction.isStopped) {
      await this.finish(workspace, row);
      return row;
    }
    await this.deps.activity.suspendAgents(workspace.workspaceId, eviction.reason);
    return (await this.stop(workspace, row)) ? row : null;
  }

  /** Ends an eviction that has begun. */
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
    await this.stop(workspace, row);
  }

  private async stop(workspace: Workspace, row: EvictionDelivery): Promise<boolean> {
    const { containers, deliveryStore } = this.deps;
    try {
      await containers.stop(row.container_id);
    } catch (error) {
      // While the engine does not answer, the fence stays.
      const container = await containers.find(workspace.workspaceId);
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
}
