import type { DatabaseSync } from 'node:sqlite';
import { prepare } from '../store/database.js';
import { restoring } from './restore-fences.js';
import type { SessionKey } from './session-record.js';

/** Suspensions of sessions by the stop of their workspace. Only SessionRecords writes them. */
export class WorkspaceSuspensions {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** Suspends the running sessions. Returns them. */
  begin(workspaceId: string): SessionKey[] {
    return this.move(
      `UPDATE agent_sessions SET status = 'suspended', resumes_with_workspace = 1,
           suspended_at = :at, updated_at = :at
         WHERE workspace_id = :workspaceId AND status = 'running' RETURNING session_id`,
      workspaceId,
    );
  }

  /** Makes the sessions running that `begin` suspended. Returns them. */
  end(workspaceId: string): SessionKey[] {
    return this.move(
      `UPDATE agent_sessions SET status = 'running', resumes_with_workspace = 0,
           suspended_at = NULL, updated_at = :at
         WHERE workspace_id = :workspaceId AND status = 'suspended' AND resumes_with_workspace = 1
         RETURNING session_id`,
      workspaceId,
    );
  }

  /** The sessions of an evicted workspace do not continue on their own. */
  evict(workspaceId: string, errorMessage: string): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'error', error_message = :errorMessage, updated_at = :at,
           resumes_with_workspace = 0, suspended_at = NULL
         WHERE workspace_id = :workspaceId AND status <> 'stopped' AND error_message IS NOT :restoring`,
    ).run({ workspaceId, errorMessage, restoring, at: this.now().toISOString() });
  }

  private move(sql: string, workspaceId: string): SessionKey[] {
    const rows = prepare(this.database, sql).all({ workspaceId, at: this.now().toISOString() });
    return rows.map((row) => ({ workspaceId, sessionId: String(row.session_id) }));
  }
}
