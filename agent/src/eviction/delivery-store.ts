import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { EvictionCause, type EvictionReason, evictionReasons } from '../../../protocol/eviction.js';
import { inTransaction, prepare } from '../store/database.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { evictionText } from './eviction-text.js';

const Flag = z.pipe(
  z.int(),
  z.transform((value) => value === 1),
);
const Row = z.object({
  id: z.string(),
  workspace_id: z.string(),
  project_id: z.string(),
  node_id: z.string(),
  container_id: z.string(),
  generation: z.string(),
  reason: z.enum(evictionReasons),
  snapshot_captured: Flag,
  container_stopped: Flag,
  work_in_flight: Flag,
  cause: z.nullable(z.string()),
  attempts: z.int(),
  payload_revision: z.int(),
});
export type EvictionDelivery = z.infer<typeof Row>;

export interface NewEviction {
  readonly projectId: string;
  readonly containerId: string;
  readonly reason: EvictionReason;
  readonly isStopped: boolean;
  readonly isWorkInFlight: boolean;
  readonly cause: EvictionCause | null;
}

interface Claim {
  readonly now: number;
  /** When the row may be claimed again, by the number of its earlier attempts. */
  readonly delayMs: (attempts: number) => number;
  /** Otherwise the oldest one. */
  readonly id?: string | undefined;
}

/**
 * The fences of evictions, each with its report to the control plane, which holds no token. Flags
 * change from 0 to 1 only.
 */
export class EvictionDeliveryStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly workspaces: WorkspaceStore,
    private readonly options: { readonly nodeId: string; readonly now: () => number },
  ) {}

  /** Writes fence and report in one commit. Null when the workspace has changed. */
  record(workspace: Workspace, eviction: NewEviction): EvictionDelivery | null {
    const { workspaceId, evictionGeneration } = workspace;
    const id = deliveryId(workspaceId, evictionGeneration, eviction.containerId);
    return inTransaction(this.database, () => {
      if (!this.workspaces.setFence(workspace, 'closed')) return null;
      if (eviction.isStopped) this.workspaces.evicted(workspace, evictionText[eviction.reason]);
      this.upsert(id, workspace, eviction);
      return this.find(id);
    });
  }

  private upsert(id: string, workspace: Workspace, eviction: NewEviction): void {
    const { cause, isStopped, isWorkInFlight } = eviction;
    prepare(
      this.database,
      `INSERT INTO eviction_deliveries (id, workspace_id, project_id, node_id, container_id, generation, reason,
           snapshot_captured, container_stopped, work_in_flight, cause, occurred_at, next_attempt_at)
         VALUES (:id, :workspaceId, :projectId, :nodeId, :containerId, :generation, :reason, 1, :isStopped,
           :isWorkInFlight, :cause, :now, :now)
         ON CONFLICT (id) DO UPDATE SET
           container_stopped = max(container_stopped, excluded.container_stopped),
           work_in_flight = max(work_in_flight, excluded.work_in_flight),
           cause = coalesce(excluded.cause, cause), payload_revision = payload_revision + 1,
           next_attempt_at = min(next_attempt_at, excluded.next_attempt_at)`,
    ).run({
      id,
      workspaceId: workspace.workspaceId,
      projectId: eviction.projectId,
      nodeId: this.options.nodeId,
      containerId: eviction.containerId,
      generation: workspace.evictionGeneration,
      reason: eviction.reason,
      isStopped: Number(isStopped),
      isWorkInFlight: Number(isWorkInFlight),
      cause: cause && JSON.stringify(cause),
      now: this.options.now(),
    });
  }

  /** The container of the fence has stopped: the report is due. */
  stopped(workspace: Workspace, { id, reason }: EvictionDelivery): boolean {
    return inTransaction(this.database, () => {
      if (!this.workspaces.evicted(workspace, evictionText[reason])) return false;
      prepare(
        this.database,
        `UPDATE eviction_deliveries SET container_stopped = 1, payload_revision = payload_revision + 1,
             next_attempt_at = min(next_attempt_at, ?)
           WHERE id = ? AND container_stopped = 0`,
      ).run(this.options.now(), id);
      return true;
    });
  }

  /** The workspace goes on: nothing was stopped, and nothing was reported. */
  withdraw(workspace: Workspace): boolean {
    return inTransaction(this.database, () => {
      if (!this.workspaces.setFence(workspace, 'open')) return false;
      prepare(
        this.database,
        `DELETE FROM eviction_deliveries
           WHERE workspace_id = ? AND generation = ? AND container_stopped = 0`,
      ).run(workspace.workspaceId, workspace.evictionGeneration);
      return true;
    });
  }

  /** The report of the fence that is closed now, whose container has not stopped. */
  unstopped({ workspaceId, evictionGeneration }: Workspace): EvictionDelivery | null {
    const row = prepare(
      this.database,
      `SELECT * FROM eviction_deliveries
         WHERE workspace_id = ? AND generation = ? AND container_stopped = 0
         ORDER BY occurred_at DESC LIMIT 1`,
    ).get(workspaceId, evictionGeneration);
    return row ? Row.parse(row) : null;
  }

  /** Counts the attempt before it begins. Null when nothing is due. */
  claim({ now, delayMs, id }: Claim): EvictionDelivery | null {
    return inTransaction(this.database, () => {
      const due = prepare(
        this.database,
        `SELECT id, attempts FROM eviction_deliveries WHERE next_attempt_at <= ? AND id = coalesce(?, id)
           ORDER BY next_attempt_at, id LIMIT 1`,
      ).get(now, id ?? null);
      if (!due) return null;
      const attempts = Number(due.attempts);
      prepare(
        this.database,
        'UPDATE eviction_deliveries SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?',
      ).run(now + delayMs(attempts), String(due.id));
      return this.find(String(due.id));
    });
  }

  /** After the final answer to this attempt. A report that has changed since stays. */
  end({ id, attempts, payload_revision: revision }: EvictionDelivery): void {
    prepare(
      this.database,
      'DELETE FROM eviction_deliveries WHERE id = ? AND attempts = ? AND payload_revision = ?',
    ).run(id, attempts, revision);
  }

  find(id: string): EvictionDelivery | null {
    const row = prepare(this.database, 'SELECT * FROM eviction_deliveries WHERE id = ?').get(id);
    return row ? Row.parse(row) : null;
  }
}

export function deliveryId(workspaceId: string, generation: string, containerId: string): string {
  return createHash('sha256').update([workspaceId, generation, containerId].join('\0')).digest('hex');
}

export function causeOf({ cause }: EvictionDelivery): EvictionCause | undefined {
  return cause === null ? undefined : EvictionCause.parse(JSON.parse(cause));
}
