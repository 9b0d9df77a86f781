import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { AgentSessionStatus, AgentType, McpServer } from '../../../protocol/agent-sessions.js';
import type { InteractionSettings } from '../../../protocol/interactions.js';
import { prepare } from '../store/database.js';
import { closed, opened } from '../store/sealed-columns.js';
import { type RestoreEnd, RestoreFences, restoring } from './restore-fences.js';
import { noSettings, type SessionKey, type SessionRecord, toRecord } from './session-record.js';
import { WorkspaceSuspensions } from './workspace-suspensions.js';

const maxLastPromptLength = 200;
const maxErrorLength = 2_048;

type Given = Pick<
  SessionRecord,
  'label' | 'chatSessionId' | 'projectId' | 'workDir' | 'mcpServers' | 'interactions' | 'idempotencyKey'
>;
export type NewSession = SessionKey & { readonly [Name in keyof Given]?: Given[Name] | undefined };

export interface LatestChat {
  readonly projectId: string;
  readonly chatSessionId: string;
  readonly taskId: string | null;
}

/** Settings of a start request. They apply to every later start of the harness. */
export interface SessionStart {
  readonly agentType: AgentType;
  /** False when the agent type changes: the next start opens a new ACP session. */
  readonly keepsAcpSession: boolean;
  readonly settings?: SessionRecord['settings'];
  readonly mcpServers?: readonly McpServer[];
  readonly interactions?: InteractionSettings;
  readonly projectId?: string;
  readonly taskId?: string;
  readonly taskMode?: 'task' | 'conversation';
}

/** Table of agent sessions. Only SessionRecords writes it. Status changes are compare-and-sets. */
export class SessionStore {
  readonly fences: RestoreFences;
  readonly suspensions: WorkspaceSuspensions;

  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {
    this.fences = new RestoreFences(database, now);
    this.suspensions = new WorkspaceSuspensions(database, now);
  }

  /** Oldest first. */
  list(workspaceId: string): SessionRecord[] {
    return prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? ORDER BY created_at, rowid',
    )
      .all(workspaceId)
      .map((row) => this.opened(row));
  }

  /** The chat of the project session that began last. Read with every sample: opens no secrets. */
  latestChat(workspaceId: string): LatestChat | null {
    const row = prepare(
      this.database,
      `SELECT project_id, chat_session_id, task_id FROM agent_sessions
         WHERE workspace_id = ? AND project_id IS NOT NULL AND chat_session_id IS NOT NULL
         ORDER BY created_at DESC, rowid LIMIT 1`,
    ).get(workspaceId);
    if (!row) return null;
    const { project_id: projectId, chat_session_id: chatSessionId, task_id: taskId } = row;
    return {
      projectId: String(projectId),
      chatSessionId: String(chatSessionId),
      taskId: taskId === null ? null : String(taskId),
    };
  }

  find({ workspaceId, sessionId }: SessionKey): SessionRecord | null {
    const row = prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? AND session_id = ?',
    ).get(workspaceId, sessionId);
    return row ? this.opened(row) : null;
  }

  /** The session that an earlier request with this key created. */
  findByKey(workspaceId: string, idempotencyKey: string): SessionRecord | null {
    const row = prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? AND idempotency_key = ?',
    ).get(workspaceId, idempotencyKey);
    return row ? this.opened(row) : null;
  }

  /** Returns false when the id is in use. */
  create(session: NewSession): boolean {
    const at = this.now().toISOString();
    const { changes } = prepare(
      this.database,
      `INSERT INTO agent_sessions (workspace_id, session_id, status, label, chat_session_id, project_id, work_dir,
           settings, mcp_servers, interactions, idempotency_key, created_at, updated_at)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ).run(
      session.workspaceId,
      session.sessionId,
      session.label ?? null,
      session.chatSessionId ?? null,
      session.projectId ?? null,
      session.workDir ?? null,
      JSON.stringify(noSettings),
      this.closed(session, session.mcpServers ?? []),
      session.interactions ? JSON.stringify(session.interactions) : null,
      session.idempotencyKey ?? null,
      at,
      at,
    );
    return changes === 1;
  }

  /**
   * Returns false when the status is not one of `from`, and for a session whose files are being
   * restored unless `to` is `stopped`.
   */
  move(
    key: SessionKey,
    move: { from: readonly AgentSessionStatus[]; to: AgentSessionStatus; errorMessage?: string },
  ): boolean {
    const at = this.now().toISOString();
    const marks = move.from.map(() => '?').join(', ');
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = :to, error_message = :error, updated_at = :at,
           resumes_with_workspace = 0,
           stopped_at = CASE WHEN :to = 'stopped' THEN :at ELSE stopped_at END,
           suspended_at = CASE :to WHEN 'suspended' THEN :at WHEN 'running' THEN NULL ELSE suspended_at END,
           mcp_servers = CASE WHEN :to = 'stopped' THEN '[]' ELSE mcp_servers END
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status IN (${marks})
           AND (:to = 'stopped' OR error_message IS NOT :restoring)`,
    ).run(
      {
        ...idOf(key),
        restoring,
        to: move.to,
        at,
        error: move.errorMessage?.slice(0, maxErrorLength) ?? null,
      },
      ...move.from,
    );
    return changes === 1;
  }

  /** Returns false when the session is not running. */
  applyStart(key: SessionKey, start: SessionStart): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET agent_type = :agentType, updated_at = :at,
           acp_session_id = CASE WHEN :keeps THEN acp_session_id END,
           settings = coalesce(:settings, settings), mcp_servers = coalesce(:mcpServers, mcp_servers),
           interactions = coalesce(:interactions, interactions),
           project_id = coalesce(:projectId, project_id), task_id = coalesce(:taskId, task_id),
           task_mode = coalesce(:taskMode, task_mode)
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status = 'running'`,
    ).run({
      ...idOf(key),
      at: this.now().toISOString(),
      agentType: start.agentType,
      keeps: start.keepsAcpSession ? 1 : 0,
      settings: start.settings ? JSON.stringify(start.settings) : null,
      mcpServers: start.mcpServers ? this.closed(key, start.mcpServers) : null,
      interactions: start.interactions ? JSON.stringify(start.interactions) : null,
      projectId: start.projectId ?? null,
      taskId: start.taskId ?? null,
      taskMode: start.taskMode ?? null,
    });
    return changes === 1;
  }

  /** Returns false when the session has been stopped. */
  replaceMcpServers(key: SessionKey, mcpServers: readonly McpServer[]): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET mcp_servers = :mcpServers
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status <> 'stopped'`,
    ).run({ ...idOf(key), mcpServers: this.closed(key, mcpServers) });
    return changes === 1;
  }

  /** Returns false when the session has been stopped. */
  replaceInteractions(key: SessionKey, interactions: InteractionSettings): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET interactions = :interactions
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status <> 'stopped'`,
    ).run({ ...idOf(key), interactions: JSON.stringify(interactions) });
    return changes === 1;
  }

  /** Returns false when the session has been stopped. */
  endRestore(key: SessionKey, { mcpServers, ...end }: RestoreEnd): boolean {
    return this.fences.end(key, { ...end, mcpServers: mcpServers ? this.closed(key, mcpServers) : null });
  }

  /** Stores the ACP session to load from now on. Returns false when the session is not running. */
  setAcpSession(key: SessionKey, acpSessionId: string): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET acp_session_id = :acpSessionId, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status = 'running'`,
    ).run({ ...idOf(key), acpSessionId, at: this.now().toISOString() });
    return changes === 1;
  }

  /** The next start opens a new ACP session. Returns false when the session is not running. */
  loseConversation(key: SessionKey): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET acp_session_id = NULL, is_conversation_lost = 1, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status = 'running'`,
    ).run({ ...idOf(key), at: this.now().toISOString() });
    return changes === 1;
  }

  /** An agent has the summary of the lost conversation. */
  continueConversation(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET is_conversation_lost = 0
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND is_conversation_lost = 1`,
    ).run(idOf(key));
  }

  setLastPrompt(key: SessionKey, text: string): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET last_prompt = :text, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId`,
    ).run({ ...idOf(key), text: text.slice(0, maxLastPromptLength), at: this.now().toISOString() });
  }

  countRestart(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET restart_count = restart_count + 1
         WHERE workspace_id = :workspaceId AND session_id = :sessionId`,
    ).run(idOf(key));
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM agent_sessions WHERE workspace_id = ?').run(workspaceId);
  }

  /** MCP servers have tokens. */
  private closed({ workspaceId, sessionId }: SessionKey, mcpServers: readonly McpServer[]): string {
    return closed(this.database, JSON.stringify(mcpServers), ['mcp_servers', workspaceId, sessionId]);
  }

  /** Without MCP servers when they do not open. */
  private opened(row: Record<string, SQLOutputValue>): SessionRecord {
    const owner = ['mcp_servers', String(row.workspace_id), String(row.session_id)] as const;
    return toRecord({ ...row, mcp_servers: opened(this.database, String(row.mcp_servers), owner) ?? '[]' });
  }
}

function idOf({ workspaceId, sessionId }: SessionKey) {
  return { workspaceId, sessionId };
}
