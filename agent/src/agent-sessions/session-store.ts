import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { AgentType, agentSessionStatuses, McpServer } from '../../../protocol/agent-sessions.js';
import { prepare } from '../store/database.js';
import type { SessionKey, SessionRecord } from './session-record.js';

const Status = z.enum(agentSessionStatuses);
type Status = z.infer<typeof Status>;
const Text = z.nullable(z.string());
const Settings = z.object({
  model: Text,
  permissionMode: Text,
  effort: Text,
  opencodeProvider: Text,
  opencodeBaseUrl: Text,
});
const noSettings: SessionRecord['settings'] = {
  model: null,
  permissionMode: null,
  effort: null,
  opencodeProvider: null,
  opencodeBaseUrl: null,
};

const Row = z.object({
  workspace_id: z.string(),
  session_id: z.string(),
  status: Status,
  label: Text,
  agent_type: z.nullable(AgentType),
  acp_session_id: Text,
  last_prompt: Text,
  error_message: Text,
  chat_session_id: Text,
  project_id: Text,
  task_id: Text,
  task_mode: z.nullable(z.enum(['task', 'conversation'])),
  work_dir: Text,
  settings: z.string(),
  mcp_servers: z.string(),
  idempotency_key: Text,
  restart_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  stopped_at: Text,
  suspended_at: Text,
});

const maxLastPromptLength = 200;
const maxErrorLength = 2_048;

export type NewSession = SessionKey &
  Partial<
    Pick<SessionRecord, 'label' | 'chatSessionId' | 'projectId' | 'workDir' | 'mcpServers' | 'idempotencyKey'>
  >;

/** What a start decides; all of it holds for every later start of the harness, too. */
export interface SessionStart {
  readonly agentType: AgentType;
  /** False: the ACP session of another kind of agent is left behind. */
  readonly keepsAcpSession: boolean;
  readonly settings?: SessionRecord['settings'];
  readonly mcpServers?: readonly McpServer[];
  readonly projectId?: string;
  readonly taskId?: string;
  readonly taskMode?: 'task' | 'conversation';
}

/** Durable records of agent sessions. Every change of status is a compare-and-set. */
export class SessionStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** In the order of their creation. */
  list(workspaceId: string): SessionRecord[] {
    return prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? ORDER BY created_at, rowid',
    )
      .all(workspaceId)
      .map(toRecord);
  }

  find({ workspaceId, sessionId }: SessionKey): SessionRecord | null {
    const row = prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? AND session_id = ?',
    ).get(workspaceId, sessionId);
    return row ? toRecord(row) : null;
  }

  /** What an earlier request of this key made. */
  findByKey(workspaceId: string, idempotencyKey: string): SessionRecord | null {
    const row = prepare(
      this.database,
      'SELECT * FROM agent_sessions WHERE workspace_id = ? AND idempotency_key = ?',
    ).get(workspaceId, idempotencyKey);
    return row ? toRecord(row) : null;
  }

  /** False when there is one of this id already. */
  create(session: NewSession): boolean {
    const at = this.now().toISOString();
    const { changes } = prepare(
      this.database,
      `INSERT INTO agent_sessions (workspace_id, session_id, status, label, chat_session_id, project_id, work_dir,
           settings, mcp_servers, idempotency_key, created_at, updated_at)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ).run(
      session.workspaceId,
      session.sessionId,
      session.label ?? null,
      session.chatSessionId ?? null,
      session.projectId ?? null,
      session.workDir ?? null,
      JSON.stringify(noSettings),
      JSON.stringify(session.mcpServers ?? []),
      session.idempotencyKey ?? null,
      at,
      at,
    );
    return changes === 1;
  }

  /** False when it has another status by now: whoever moved it has won. */
  move(key: SessionKey, move: { from: readonly Status[]; to: Status; errorMessage?: string }): boolean {
    const at = this.now().toISOString();
    const marks = move.from.map(() => '?').join(', ');
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET status = :to, error_message = :error, updated_at = :at,
           stopped_at = CASE WHEN :to = 'stopped' THEN :at ELSE stopped_at END,
           suspended_at = CASE :to WHEN 'suspended' THEN :at WHEN 'running' THEN NULL ELSE suspended_at END,
           mcp_servers = CASE WHEN :to = 'stopped' THEN '[]' ELSE mcp_servers END
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status IN (${marks})`,
    ).run(
      { ...idOf(key), to: move.to, at, error: move.errorMessage?.slice(0, maxErrorLength) ?? null },
      ...move.from,
    );
    return changes === 1;
  }

  /** False when it does not run. */
  start(key: SessionKey, start: SessionStart): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET agent_type = :agentType, updated_at = :at,
           acp_session_id = CASE WHEN :keeps THEN acp_session_id END,
           settings = coalesce(:settings, settings), mcp_servers = coalesce(:mcpServers, mcp_servers),
           project_id = coalesce(:projectId, project_id), task_id = coalesce(:taskId, task_id),
           task_mode = coalesce(:taskMode, task_mode)
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status = 'running'`,
    ).run({
      ...idOf(key),
      at: this.now().toISOString(),
      agentType: start.agentType,
      keeps: start.keepsAcpSession ? 1 : 0,
      settings: start.settings ? JSON.stringify(start.settings) : null,
      mcpServers: start.mcpServers ? JSON.stringify(start.mcpServers) : null,
      projectId: start.projectId ?? null,
      taskId: start.taskId ?? null,
      taskMode: start.taskMode ?? null,
    });
    return changes === 1;
  }

  /** The harness has opened this ACP session; from now on it is the one to load. False when it does not run. */
  opened(key: SessionKey, acpSessionId: string): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE agent_sessions SET acp_session_id = :acpSessionId, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId AND status = 'running'`,
    ).run({ ...idOf(key), acpSessionId, at: this.now().toISOString() });
    return changes === 1;
  }

  prompted(key: SessionKey, text: string): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET last_prompt = :text, updated_at = :at
         WHERE workspace_id = :workspaceId AND session_id = :sessionId`,
    ).run({ ...idOf(key), text: text.slice(0, maxLastPromptLength), at: this.now().toISOString() });
  }

  restarted(key: SessionKey): void {
    prepare(
      this.database,
      `UPDATE agent_sessions SET restart_count = restart_count + 1
         WHERE workspace_id = :workspaceId AND session_id = :sessionId`,
    ).run(idOf(key));
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM agent_sessions WHERE workspace_id = ?').run(workspaceId);
  }
}

function idOf({ workspaceId, sessionId }: SessionKey) {
  return { workspaceId, sessionId };
}

function toRecord(row: Record<string, SQLOutputValue>): SessionRecord {
  const fields = Row.parse(row);
  return {
    workspaceId: fields.workspace_id,
    sessionId: fields.session_id,
    status: fields.status,
    label: fields.label,
    agentType: fields.agent_type,
    acpSessionId: fields.acp_session_id,
    lastPrompt: fields.last_prompt,
    errorMessage: fields.error_message,
    chatSessionId: fields.chat_session_id,
    projectId: fields.project_id,
    taskId: fields.task_id,
    taskMode: fields.task_mode,
    workDir: fields.work_dir,
    settings: Settings.parse(JSON.parse(fields.settings)),
    mcpServers: z.array(McpServer).parse(JSON.parse(fields.mcp_servers)),
    idempotencyKey: fields.idempotency_key,
    restartCount: fields.restart_count,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    stoppedAt: fields.stopped_at,
    suspendedAt: fields.suspended_at,
  };
}
