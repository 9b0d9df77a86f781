import type { DatabaseSync } from 'node:sqlite';
import { HibernateAgentSession, RestoreAgentSession } from '../../../protocol/snapshots.js';
import type { SessionKey } from '../agent-sessions/session-record.js';
import { prepare } from '../store/database.js';
import { closed, opened } from '../store/sealed-columns.js';

/** The request of an operation that has not ended. */
export type SnapshotRequest =
  | { readonly kind: 'capture'; readonly key: SessionKey; readonly request: HibernateAgentSession }
  | { readonly kind: 'restore'; readonly key: SessionKey; readonly request: RestoreAgentSession };

/** Requests that the next run of the agent continues. They hold tokens: they are sealed. */
export class UnfinishedOperations {
  constructor(private readonly database: DatabaseSync) {}

  begin({ kind, key, request }: SnapshotRequest): void {
    const { workspaceId, sessionId } = key;
    prepare(
      this.database,
      `INSERT OR REPLACE INTO snapshot_operations (workspace_id, operation_id, kind, session_id, request)
         VALUES (?, ?, ?, ?, ?)`,
    ).run(
      workspaceId,
      request.operationId,
      kind,
      sessionId,
      closed(this.database, JSON.stringify(request), ['snapshot_request', workspaceId]),
    );
  }

  end(workspaceId: string, operationId: string): void {
    const sql = 'DELETE FROM snapshot_operations WHERE workspace_id = ? AND operation_id = ?';
    prepare(this.database, sql).run(workspaceId, operationId);
  }

  /** Removes and returns them. One whose seal does not open is lost. */
  takeAll(): readonly SnapshotRequest[] {
    const rows = prepare(this.database, 'DELETE FROM snapshot_operations RETURNING *').all();
    return rows.flatMap((row): readonly SnapshotRequest[] => {
      const [workspaceId, sessionId] = [String(row.workspace_id), String(row.session_id)];
      const text = opened(this.database, String(row.request), ['snapshot_request', workspaceId]);
      if (text === null) return [];
      const key = { workspaceId, sessionId };
      const request: unknown = JSON.parse(text);
      return row.kind === 'capture'
        ? [{ kind: 'capture', key, request: HibernateAgentSession.parse(request) }]
        : [{ kind: 'restore', key, request: RestoreAgentSession.parse(request) }];
    });
  }
}
