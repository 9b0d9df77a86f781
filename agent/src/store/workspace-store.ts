import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import {
  PendingCallback,
  ProvisionKind,
  type Workspace,
  WorkspaceSettings,
  WorkspaceStatus,
} from '../workspaces/workspace.js';
import { inTransaction, prepare } from './database.js';
import { closed, closedSettings, opened, openedSettings } from './sealed-columns.js';
import type { Move, NewGeneration, RestartOrRebuild } from './workspace-changes.js';

const Row = z.object({
  workspace_id: z.string(),
  generation: z.int(),
  status: WorkspaceStatus,
  settings: z.string(),
  callback_token: z.string(),
  error_message: z.nullable(z.string()),
  pending_callback: PendingCallback,
  provision_kind: ProvisionKind,
  evicted: z.int(),
  eviction_generation: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** Durable records of the workspaces on this node. Every change of status is a compare-and-set. */
export class WorkspaceStore {
  /**
   * Cache: every request to a workspace reads its record. Only this store writes records, and a
   * change removes the record from the cache.
   */
  private readonly known = new Map<string, Workspace>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  list(): Workspace[] {
    return prepare(this.database, 'SELECT * FROM workspaces ORDER BY workspace_id')
      .all()
      .map((row) => this.toWorkspace(row));
  }

  find(workspaceId: string): Workspace | null {
    const known = this.known.get(workspaceId);
    if (known) return known;
    const row = prepare(this.database, 'SELECT * FROM workspaces WHERE workspace_id = ?').get(workspaceId);
    if (!row) return null;
    const workspace = this.toWorkspace(row);
    this.known.set(workspaceId, workspace);
    return workspace;
  }

  /** Begins a generation: the record is new, or takes the place of an older one. */
  begin(workspace: NewGeneration): void {
    const at = this.now().toISOString();
    this.write(
      workspace.workspaceId,
      `INSERT INTO workspaces (workspace_id, generation, status, settings, callback_token, provision_kind,
           eviction_generation, created_at, updated_at)
         VALUES (?, ?, 'creating', ?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace_id) DO UPDATE SET
           generation = excluded.generation, status = 'creating', provision_kind = excluded.provision_kind, settings = excluded.settings,
           callback_token = excluded.callback_token, error_message = NULL, pending_callback = NULL,
           eviction_generation = excluded.eviction_generation, updated_at = excluded.updated_at
         WHERE excluded.generation > workspaces.generation AND workspaces.evicted = 0`,
      [
        workspace.workspaceId,
        workspace.generation,
        JSON.stringify(closedSettings(this.database, workspace.settings, workspace.workspaceId)),
        this.closedToken(workspace),
        workspace.provisionKind ?? 'create',
        workspace.evictionGeneration ?? '',
        at,
        at,
      ],
    );
  }

  /** Returns false when the generation or status of the workspace has changed. */
  move({ workspaceId, generation }: Pick<Workspace, 'workspaceId' | 'generation'>, move: Move): boolean {
    const marks = move.from.map(() => '?').join(', ');
    return this.write(
      workspaceId,
      `UPDATE workspaces SET status = ?, pending_callback = ?, error_message = ?, updated_at = ?,
           provision_kind = CASE WHEN ? IN ('running', 'recovering') THEN 'restart' ELSE provision_kind END
         WHERE workspace_id = ? AND generation = ? AND status IN (${marks})`,
      [
        move.to,
        move.pendingCallback ?? null,
        move.errorMessage ?? null,
        this.now().toISOString(),
        move.to,
        workspaceId,
        generation,
        ...move.from,
      ],
    );
  }

  /** Starts a restart or rebuild. Returns false when the workspace has changed. */
  restartOrRebuild(workspace: Workspace, next: RestartOrRebuild): boolean {
    const marks = next.from.map(() => '?').join(', ');
    return this.write(
      workspace.workspaceId,
      `UPDATE workspaces SET status = 'creating', generation = ?, callback_token = ?, updated_at = ?,
           error_message = NULL, pending_callback = NULL, evicted = 0, eviction_generation = ?,
           provision_kind = CASE WHEN provision_kind = 'create' THEN 'create' ELSE ? END
         WHERE workspace_id = ? AND generation = ? AND (evicted = 0 OR ?) AND eviction_generation = ?
           AND status IN (${marks})`,
      [
        next.generation,
        this.closedToken({ ...next, workspaceId: workspace.workspaceId }),
        this.now().toISOString(),
        next.eviction?.to ?? workspace.evictionGeneration,
        next.provisionKind,
        workspace.workspaceId,
        workspace.generation,
        next.eviction ? 1 : 0,
        next.eviction?.from ?? workspace.evictionGeneration,
        ...next.from,
      ],
    );
  }

  /** Begins the eviction of a workspace that runs, or lets it go on. False: it has changed. */
  setFence({ workspaceId, generation, evictionGeneration }: Workspace, to: 'closed' | 'open'): boolean {
    const evicted = to === 'closed' ? 1 : 0;
    return this.write(
      workspaceId,
      `UPDATE workspaces SET evicted = ?, updated_at = ?
         WHERE workspace_id = ? AND generation = ? AND eviction_generation = ? AND evicted <> ?
           AND status IN ('running', 'recovering')`,
      [evicted, this.now().toISOString(), workspaceId, generation, evictionGeneration, evicted],
    );
  }

  /** Its container has stopped. */
  evicted({ workspaceId, generation, evictionGeneration }: Workspace, errorMessage: string): boolean {
    return this.write(
      workspaceId,
      `UPDATE workspaces SET status = 'evicted', pending_callback = NULL, error_message = ?, updated_at = ?
         WHERE workspace_id = ? AND generation = ? AND eviction_generation = ? AND evicted = 1
           AND status IN ('running', 'recovering')`,
      [errorMessage, this.now().toISOString(), workspaceId, generation, evictionGeneration],
    );
  }

  callbackAnswered({ workspaceId, generation }: Workspace, callback: PendingCallback): void {
    this.write(
      workspaceId,
      `UPDATE workspaces SET pending_callback = NULL
         WHERE workspace_id = ? AND generation = ? AND pending_callback = ?`,
      [workspaceId, generation, callback],
    );
  }

  /** Replaces a callback token. Returns false when the stored token has changed. */
  renewToken({ workspaceId, generation, callbackToken }: Workspace, token: string): boolean {
    const current = this.find(workspaceId);
    if (current?.generation !== generation || current.callbackToken !== callbackToken) return false;
    return this.write(
      workspaceId,
      'UPDATE workspaces SET callback_token = ? WHERE workspace_id = ? AND generation = ?',
      [this.closedToken({ workspaceId, generation, callbackToken: token }), workspaceId, generation],
    );
  }

  /** Stored before anything is removed, so that the next start finishes after a crash. */
  beginDeletion(workspaceId: string): void {
    prepare(
      this.database,
      `INSERT INTO deletions (workspace_id, generation, is_done)
         VALUES (?, coalesce((SELECT generation FROM workspaces WHERE workspace_id = ?), 0), 0)
         ON CONFLICT (workspace_id) DO UPDATE SET
           generation = max(generation, excluded.generation), is_done = 0`,
    ).run(workspaceId, workspaceId);
  }

  finishDeletion(workspaceId: string): void {
    inTransaction(this.database, () => {
      this.write(workspaceId, 'DELETE FROM workspaces WHERE workspace_id = ?', [workspaceId]);
      prepare(this.database, 'UPDATE deletions SET is_done = 1 WHERE workspace_id = ?').run(workspaceId);
    });
  }

  /** Without the failed deletions of workspaces that a newer generation uses. */
  unfinishedDeletions(): string[] {
    const rows = prepare(
      this.database,
      `SELECT workspace_id FROM deletions LEFT JOIN workspaces USING (workspace_id)
         WHERE is_done = 0 AND deletions.generation >= coalesce(workspaces.generation, 0)`,
    ).all();
    return rows.map((row) => String(row.workspace_id));
  }

  /** The newest deleted generation. A late create of it must not recreate the workspace. */
  deletedGeneration(workspaceId: string): number {
    const row = prepare(this.database, 'SELECT generation FROM deletions WHERE workspace_id = ?').get(
      workspaceId,
    );
    return Number(row?.generation ?? 0);
  }

  /** Whether this node was requested to delete the workspace and has no record of it since. */
  isDeleted(workspaceId: string): boolean {
    const sql = 'SELECT 1 FROM deletions WHERE workspace_id = ?';
    return this.find(workspaceId) === null && prepare(this.database, sql).get(workspaceId) !== undefined;
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  /** Returns false when no row changed. */
  private write(workspaceId: string, sql: string, values: readonly SQLInputValue[]): boolean {
    this.known.delete(workspaceId);
    return prepare(this.database, sql).run(...values).changes === 1;
  }

  private closedToken({ workspaceId, generation, callbackToken }: TokenOwner): string {
    return closed(this.database, callbackToken, ['callback_token', workspaceId, generation]);
  }

  /** A token that does not open is empty: the control plane refuses it and sends another. */
  private toWorkspace(row: Record<string, SQLOutputValue>): Workspace {
    const { database } = this;
    const fields = Row.parse(row);
    const { workspace_id: workspaceId, generation, callback_token: token } = fields;
    return {
      ...toWorkspace(fields),
      settings: WorkspaceSettings.parse(openedSettings(database, JSON.parse(fields.settings), workspaceId)),
      callbackToken: opened(database, token, ['callback_token', workspaceId, generation]) ?? '',
    };
  }
}

type TokenOwner = Pick<Workspace, 'workspaceId' | 'generation' | 'callbackToken'>;

function toWorkspace(fields: z.infer<typeof Row>): Omit<Workspace, 'settings' | 'callbackToken'> {
  return {
    workspaceId: fields.workspace_id,
    generation: fields.generation,
    status: fields.status,
    provisionKind: fields.provision_kind,
    errorMessage: fields.error_message,
    pendingCallback: fields.pending_callback,
    isEvicted: fields.evicted === 1,
    evictionGeneration: fields.eviction_generation,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
  };
}
