import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { WorkspaceTab } from '../../../protocol/node-api.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { TerminalKey } from '../terminals/terminals.js';
import { prepare } from './database.js';

/** Tabs of shells of earlier agent processes can accumulate; the oldest are removed. */
const maxTabs = 50;
/** The owner of tabs that every person in a workspace sees. */
const everybody = '';

type SessionTab = Pick<SessionRecord, 'workspaceId' | 'sessionId' | 'label'>;

/** The open tabs of people, stored so that a reloaded page finds them. */
export class TabStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** An existing tab keeps its position. */
  opened(key: TerminalKey, name: string | null): void {
    this.insert(key, 'terminal', name ?? 'Terminal');
    prepare(
      this.database,
      `DELETE FROM tabs WHERE workspace_id = :workspaceId AND type = 'terminal' AND rowid NOT IN
           (SELECT rowid FROM tabs WHERE workspace_id = :workspaceId AND type = 'terminal'
            ORDER BY sort_order DESC LIMIT :maxTabs)`,
    ).run({ workspaceId: key.workspaceId, maxTabs });
  }

  /** The tab of an agent session belongs to the workspace, not to a person. */
  sessionOpened({ workspaceId, sessionId, label }: SessionTab): void {
    this.insert({ workspaceId, userId: everybody, sessionId }, 'chat', label ?? 'Agent');
  }

  sessionClosed({ workspaceId, sessionId }: Pick<SessionTab, 'workspaceId' | 'sessionId'>): void {
    this.closed({ workspaceId, userId: everybody, sessionId });
  }

  renamed(key: TerminalKey, name: string): void {
    prepare(
      this.database,
      'UPDATE tabs SET label = ? WHERE workspace_id = ? AND user_id = ? AND session_id = ?',
    ).run(name, ...idOf(key));
  }

  closed(key: TerminalKey): void {
    prepare(this.database, 'DELETE FROM tabs WHERE workspace_id = ? AND user_id = ? AND session_id = ?').run(
      ...idOf(key),
    );
  }

  /** Removes the tabs of shells. Each agent session closes its own tab. */
  workspaceClosed(workspaceId: string): void {
    prepare(this.database, `DELETE FROM tabs WHERE workspace_id = ? AND type = 'terminal'`).run(workspaceId);
  }

  /** The tabs that a person sees, or all tabs, in order. */
  list(workspaceId: string, userId: string | null): WorkspaceTab[] {
    return prepare(
      this.database,
      `SELECT tabs.*, sessions.agent_type AS agent, acp_session_id, last_prompt FROM tabs
           LEFT JOIN agent_sessions AS sessions ON tabs.type = 'chat'
             AND sessions.workspace_id = tabs.workspace_id AND sessions.session_id = tabs.session_id
         WHERE tabs.workspace_id = :workspaceId AND (:userId IS NULL OR user_id IN (:userId, :everybody))
         ORDER BY sort_order, tabs.created_at`,
    )
      .all({ workspaceId, userId, everybody })
      .map(toTab);
  }

  private insert(key: TerminalKey, type: WorkspaceTab['type'], label: string): void {
    prepare(
      this.database,
      `INSERT INTO tabs (workspace_id, user_id, session_id, label, type, sort_order, created_at)
         VALUES (?, ?, ?, ?, ?, 1 + coalesce((SELECT max(sort_order) FROM tabs WHERE workspace_id = ?), -1), ?)
         ON CONFLICT DO NOTHING`,
    ).run(...idOf(key), label, type, key.workspaceId, this.now().toISOString());
  }
}

function toTab(row: Record<string, SQLOutputValue>): WorkspaceTab {
  const tab = {
    id: String(row.session_id),
    workspaceId: String(row.workspace_id),
    label: String(row.label),
    sortOrder: Number(row.sort_order),
    createdAt: String(row.created_at),
  };
  if (row.type !== 'chat') return { ...tab, type: 'terminal' };
  return {
    ...tab,
    type: 'chat',
    agentId: textOrNull(row.agent),
    acpSessionId: textOrNull(row.acp_session_id),
    lastPrompt: textOrNull(row.last_prompt),
  };
}

function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function idOf({ workspaceId, userId, sessionId }: TerminalKey): [string, string, string] {
  return [workspaceId, userId, sessionId];
}
