import type { DatabaseSync } from 'node:sqlite';
import type { McpServer } from '../../../protocol/agent-sessions.js';
import type { HarnessSettings } from '../harness/harness.js';
import { prepare } from '../store/database.js';
import type { SessionKey, SessionRecord } from './session-record.js';

/** The ACP session that a restored session continues. */
export interface RestoredIdentity {
  readonly agentType: string;
  readonly acpSessionId: string;
  readonly settings: HarnessSettings;
}

/** How a session continues after a restore. */
export interface RestoreEnd {
  /** The next start of the harness loads its ACP session. */
  readonly identity: RestoredIdentity | null;
  /** The agent had a conversation that is not restored. */
  readonly isConversationLost: boolean;
  /** Null keeps what the session has. */
  readonly work: Pick<SessionRecord, 'workDir' | 'taskId' | 'taskMode'> | null;
  /** Without them the session keeps its own. */
  readonly mcpServers?: readonly McpServer[] | undefined;
}

/** With the MCP servers as their column stores them. */
type StoredRestoreEnd = Omit<RestoreEnd, 'mcpServers'> & { readonly mcpServers: string | null };

/** Error message of the record while a restore runs. It marks the session as fenced. */
export const restoring =
  'A snapshot is being restored. If no restore is running, it was interrupted: restore again.';

/** Fences of sessions whose files are being restored. Only SessionRecords writes them. */
export class RestoreFences {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** Fences a session, also after an interrupted restore. False for a stopped one. */
  begin(key: SessionKey): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'error', error_message = :restoring, updated_at = :at,
           resumes_with_workspace = 0, suspended_at = NULL
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status <> 'stopped'`,
    ).run({ ...idOf(key), restoring, at: this.now().toISOString() });
    return changes === 1;
  }

  /** Removes the fence. Returns false when the session has been stopped. */
  end(key: SessionKey, { identity, isConversationLost, work, mcpServers }: StoredRestoreEnd): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'running', error_message = NULL, updated_at = :at,
           agent_type = :agentType, acp_session_id = :acpSessionId, settings = coalesce(:settings, settings),
           is_conversation_lost = :isConversationLost, work_dir = coalesce(:workDir, work_dir),
           task_id = coalesce(:taskId, task_id), task_mode = coalesce(:taskMode, task_mode),
           mcp_servers = coalesce(:mcpServers, mcp_servers)
         WHERE workspace_id = :workspaceId AND session_id = :sessionId
           AND status = 'error' AND error_message = :restoring`,
    ).run({
      ...idOf(key),
      restoring,
      at: this.now().toISOString(),
      agentType: identity?.agentType ?? null,
      acpSessionId: identity?.acpSessionId ?? null,
      settings: identity ? JSON.stringify(identity.settings) : null,
      isConversationLost: isConversationLost ? 1 : 0,
      workDir: work?.workDir ?? null,
      taskId: work?.taskId ?? null,
      taskMode: work?.taskMode ?? null,
      mcpServers,
    });
    return changes === 1;
  }

  /** After a failed load: the next start opens a new ACP session. */
  dropIdentity(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET status = 'running', error_message = NULL, updated_at = :at,
           agent_type = NULL, acp_session_id = NULL, is_conversation_lost = 1
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status IN ('running', 'error')`,
    ).run({ ...idOf(key), at: this.now().toISOString() });
  }
}

function idOf({ workspaceId, sessionId }: SessionKey) {
  return { workspaceId, sessionId };
}
