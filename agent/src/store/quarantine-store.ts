import type { DatabaseSync } from 'node:sqlite';
import { prepare } from './database.js';

/** Workspaces without a record whose remains on this machine are kept. */
export class QuarantineStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** False when the workspace is quarantined already; it keeps its first time. */
  add(workspaceId: string): boolean {
    const sql = 'INSERT INTO quarantine (workspace_id, since) VALUES (?, ?) ON CONFLICT DO NOTHING';
    return prepare(this.database, sql).run(workspaceId, this.now().toISOString()).changes === 1;
  }

  has(workspaceId: string): boolean {
    const sql = 'SELECT 1 FROM quarantine WHERE workspace_id = ?';
    return prepare(this.database, sql).get(workspaceId) !== undefined;
  }

  release(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM quarantine WHERE workspace_id = ?').run(workspaceId);
  }

  /** Workspaces that are quarantined for at least this time. */
  olderThan(periodMs: number): string[] {
    const limit = new Date(this.now().getTime() - periodMs).toISOString();
    return prepare(this.database, 'SELECT workspace_id FROM quarantine WHERE since <= ?')
      .all(limit)
      .map((row) => String(row.workspace_id));
  }
}
