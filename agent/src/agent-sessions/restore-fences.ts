import type { DatabaseSync } from 'node:sqlite';
import type { HarnessSettings } from '../harness/harness.js';
import { prepare } from '../store/database.js';
import type { SessionKey } from './session-record.js';

/** The ACP session that a restored session continues. */
export interface RestoredIdentity {
  readonly agentType: string;
  readonly acpSessionId: string;
  readonly settings: HarnessSettings;
}

/** Error message of the record while a restore runs. It marks the session as fenced. */
export const restoring =
  'A snapshot is being restored. If no restore is running, it was interrupted: restore again.';

/** Fences of sessions whose files are being restored. Only SessionRecords writes them. */
export class RestoreFences {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** Fences an unused session, also after an interrupted restore. False for a used one. */
  begin(key: SessionKey): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'error', error_message = :restoring, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId
           AND agent_type IS NULL AND acp_session_id IS NULL AND last_prompt IS NULL
           AND (status = 'running' OR (status = 'error' AND error_message = :restoring))`,
    ).run({ ...idOf(key), restoring, at: this.now().toISOString() });
    return changes === 1;
  }

  /** Removes the fence. Returns false when the session has been stopped. */
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
      at: this.now().toISOString(),
      agentType: identity?.agentType ?? null,
      acpSessionId: identity?.acpSessionId ?? null,
      settings: identity ? JSON.stringify(identity.settings) : null,
    });
    return changes === 1;
  }

  /** After a failed load: the next start opens a new ACP session. */
  dropIdentity(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'running', error_message = NULL, updated_at = :at,
           agent_type = NULL, acp_session_id = NULL
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status IN ('running', 'error')`,
    ).run({ ...idOf(key), at: this.now().toISOString() });
  }
}

function idOf({ workspaceId, sessionId }: SessionKey) {
  return { workspaceId, sessionId };
}
