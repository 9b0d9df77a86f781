import type { DatabaseSync } from 'node:sqlite';
import { RestoreAnswer } from '../../../protocol/snapshots.js';
import type { SessionKey } from '../agent-sessions/session-record.js';
import { prepare } from '../store/database.js';

/** Stores the answers of restores, for repeats. */
export class RestoreStore {
  constructor(private readonly database: DatabaseSync) {}

  answered({ workspaceId, sessionId }: SessionKey, snapshot: string, answer: RestoreAnswer): void {
    prepare(
      this.database,
      `INSERT OR REPLACE INTO session_restores (workspace_id, session_id, snapshot, answer) VALUES (?, ?, ?, ?)`,
    ).run(workspaceId, sessionId, snapshot, JSON.stringify(answer));
  }

  /** The answer of the restore of this session, with the hash of its snapshot. */
  answer({ workspaceId, sessionId }: SessionKey): { snapshot: string; answer: RestoreAnswer } | null {
    const row = prepare(
      this.database,
      'SELECT snapshot, answer FROM session_restores WHERE workspace_id = ? AND session_id = ?',
    ).get(workspaceId, sessionId);
    if (!row) return null;
    return { snapshot: String(row.snapshot), answer: RestoreAnswer.parse(JSON.parse(String(row.answer))) };
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM session_restores WHERE workspace_id = ?').run(workspaceId);
  }
}
