import * as z from 'zod/mini';
import { type EvictionReport, endsEvictionDelivery } from '../../../protocol/eviction.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { causeOf, type EvictionDelivery, type EvictionDeliveryStore } from './delivery-store.js';

export interface DeliveryTimes {
  /** Of the first repeat; doubled with each. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** The longest time that one attempt can take. No repeat begins earlier. */
  readonly leaseMs: number;
  readonly timeoutMs: number;
}

interface DeliveriesDeps {
  readonly store: EvictionDeliveryStore;
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly workspace: (workspaceId: string) => Workspace | null;
  /** Ends the eviction of a workspace whose container may still run. */
  readonly reconcile: (workspaceId: string) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Reports evictions to the control plane until it answers 2xx, 404 or 410, one at a time: at once,
 * and then one after each heartbeat.
 */
export class EvictionDeliveries {
  private isBusy = false;

  constructor(
    private readonly times: DeliveryTimes,
    private readonly deps: DeliveriesDeps,
  ) {}

  /** Sends the oldest report that is due, or this one. */
  async deliver(id?: string): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const { store, now } = this.deps;
      const claimed = store.claim({ now: now(), delayMs: (attempts) => this.delayMs(attempts), id });
      if (claimed) await this.attempt(claimed);
    } finally {
      this.isBusy = false;
    }
  }

  private delayMs(attempts: number): number {
    const { retryMs, retryMaxMs, leaseMs } = this.times;
    return Math.max(leaseMs, Math.min(retryMaxMs, retryMs * 2 ** Math.min(attempts, 30)));
  }

  private async attempt(claimed: EvictionDelivery): Promise<void> {
    const { store, reconcile, log } = this.deps;
    if (!claimed.container_stopped) await reconcile(claimed.workspace_id);
    const row = store.find(claimed.id);
    if (!row?.container_stopped) return;
    try {
      await this.send(row);
      log.info('Eviction reported', { workspaceId: row.workspace_id });
    } catch (error) {
      const isFinal = error instanceof CallbackRefused && endsEvictionDelivery(error.status);
      log.warn('Eviction report not accepted', { workspaceId: row.workspace_id, isFinal, error });
      if (!isFinal) return;
    }
    store.end(row);
  }

  private async send(row: EvictionDelivery): Promise<void> {
    const workspace = this.deps.workspace(row.workspace_id);
    await this.deps.controlPlane.post({
      path: `/api/projects/${row.project_id}/workspaces/${row.workspace_id}/eviction`,
      token: workspace?.callbackToken ?? '',
      body: reportOf(row),
      answer: z.unknown(),
      timeoutMs: this.times.timeoutMs,
    });
  }
}

function reportOf(row: EvictionDelivery): EvictionReport {
  const cause = causeOf(row);
  return {
    nodeId: row.node_id,
    workspaceId: row.workspace_id,
    reason: row.reason,
    snapshotCaptured: row.snapshot_captured,
    containerStopped: row.container_stopped,
    ...(row.generation === '' ? {} : { evictionGeneration: row.generation }),
    workInFlight: row.work_in_flight,
    ...(cause ? { cause } : {}),
  };
}
