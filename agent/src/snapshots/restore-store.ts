import type { DatabaseSync } from 'node:sqlite';
import { RestoreAnswer } from '../../../protocol/snapshots.js';
import type { SessionKey } from '../agent-sessions/session-record.js';
import type { HarnessSettings } from '../harness/harness.js';
import { prepare } from '../store/database.js';

/** Whose conversation a restored session goes on with. */
interface RestoredIdentity {
  readonly agentType: string;
  readonly acpSessionId: string;
  readonly settings: HarnessSettings;
}

/** Is on the record while a restore goes on: whoever looks sees why nothing else can be done. */
const restoring = 'A snapshot is being restored; if nobody does so any more, it was interrupted';

/** What is durable about restores: a fence while one goes on, and its answer for whoever asks again. */
export class RestoreStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** Fences a session that nothing has been done with. False for any other; an interrupted restore may begin anew. */
  begin(key: SessionKey): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'error', error_message = :restoring, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId
           AND agent_type IS NULL AND acp_session_id IS NULL AND last_prompt IS NULL
           AND (status = 'running' OR (status = 'error' AND error_message = :restoring))`,
    ).run({ ...idOf(key), restoring, at: this.at() });
    return changes === 1;
  }

  /** Takes the fence away; with an identity the next start of the harness loads that session. False if it is gone. */
  end(key: SessionKey, identity: RestoredIdentity | null): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'running', error_message = NULL, updated_at = :at,
           agent_type = :agentType, acp_session_id = :acpSessionId, settings = coalesce(:settings, settings)
         WHERE workspace_id = :workspaceId AND session_id = :sessionId
           AND status = 'error' AND error_message = :restoring`,
    ).run({
      ...idOf(key),
      restoring,
      at: this.at(),
      agentType: identity?.agentType ?? null,
      acpSessionId: identity?.acpSessionId ?? null,
      settings: identity ? JSON.stringify(identity.settings) : null,
    });
    return changes === 1;
  }

  /** The agent could not go on with the session that was restored: the next start begins a new one. */
  forgetIdentity(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'running', error_message = NULL, updated_at = :at,
           agent_type = NULL, acp_session_id = NULL
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status IN ('running', 'error')`,
    ).run({ ...idOf(key), at: this.at() });
  }

  answered({ workspaceId, sessionId }: SessionKey, snapshot: string, answer: RestoreAnswer): void {
    prepare(
      this.database,
      `INSERT OR REPLACE INTO session_restores (workspace_id, session_id, snapshot, answer) VALUES (?, ?, ?, ?)`,
    ).run(workspaceId, sessionId, snapshot, JSON.stringify(answer));
  }

  /** What became of the restore of this session, and of which snapshot. */
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

  private at(): string {
    return this.now().toISOString();
  }
}

function idOf({ workspaceId, sessionId }: SessionKey) {
  return { workspaceId, sessionId };
}
