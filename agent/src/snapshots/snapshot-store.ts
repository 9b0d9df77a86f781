import type { DatabaseSync } from 'node:sqlite';
import { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import { prepare } from '../store/database.js';

/** The last restore and the last sleep of each workspace, for repeated requests. */
export class SnapshotStore {
  constructor(private readonly database: DatabaseSync) {}

  restored(workspaceId: string, result: RestoreResult): void {
    prepare(
      this.database,
      'INSERT OR REPLACE INTO workspace_restores (workspace_id, operation_id, result) VALUES (?, ?, ?)',
    ).run(workspaceId, result.operationId, JSON.stringify(result));
  }

  /** The result of this restore; null when it has not ended. */
  result(workspaceId: string, operationId: string): RestoreResult | null {
    const row = prepare(
      this.database,
      'SELECT result FROM workspace_restores WHERE workspace_id = ? AND operation_id = ?',
    ).get(workspaceId, operationId);
    return row ? RestoreResult.parse(JSON.parse(String(row.result))) : null;
  }

  asleep(workspaceId: string, operationId: string): void {
    prepare(
      this.database,
      'INSERT OR REPLACE INTO workspace_sleeps (workspace_id, operation_id) VALUES (?, ?)',
    ).run(workspaceId, operationId);
  }

  /** Whether the workspace went to sleep after this capture. */
  wentToSleep(workspaceId: string, operationId: string): boolean {
    const sql = 'SELECT 1 FROM workspace_sleeps WHERE workspace_id = ? AND operation_id = ?';
    return prepare(this.database, sql).get(workspaceId, operationId) !== undefined;
  }

  removeWorkspace(workspaceId: string): void {
    for (const table of ['workspace_restores', 'workspace_sleeps'])
      prepare(this.database, `DELETE FROM ${table} WHERE workspace_id = ?`).run(workspaceId);
  }
}
