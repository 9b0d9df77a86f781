import type { DatabaseSync } from 'node:sqlite';
import type { WorkspaceTab } from '../../../protocol/node-api.js';
import type { TerminalKey } from '../terminals/terminals.js';

/** Tabs of shells that an earlier life of the agent had can pile up; the oldest make way. */
const maxTabs = 50;

/** The tabs that people have open, kept so that a page that is opened anew finds them. */
export class TabStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
  ) {}

  /** A tab that is there keeps its place. */
  opened(key: TerminalKey, name: string | null): void {
    this.database
      .prepare(
        `INSERT INTO tabs (workspace_id, user_id, session_id, label, sort_order, created_at)
         VALUES (?, ?, ?, ?, 1 + coalesce((SELECT max(sort_order) FROM tabs WHERE workspace_id = ?), -1), ?)
         ON CONFLICT DO NOTHING`,
      )
      .run(...idOf(key), name ?? 'Terminal', key.workspaceId, this.now().toISOString());
    this.database
      .prepare(
        `DELETE FROM tabs WHERE workspace_id = ? AND rowid NOT IN
           (SELECT rowid FROM tabs WHERE workspace_id = ? ORDER BY sort_order DESC LIMIT ?)`,
      )
      .run(key.workspaceId, key.workspaceId, maxTabs);
  }

  renamed(key: TerminalKey, name: string): void {
    this.database
      .prepare('UPDATE tabs SET label = ? WHERE workspace_id = ? AND user_id = ? AND session_id = ?')
      .run(name, ...idOf(key));
  }

  closed(key: TerminalKey): void {
    this.database
      .prepare('DELETE FROM tabs WHERE workspace_id = ? AND user_id = ? AND session_id = ?')
      .run(...idOf(key));
  }

  workspaceClosed(workspaceId: string): void {
    this.database.prepare('DELETE FROM tabs WHERE workspace_id = ?').run(workspaceId);
  }

  /** In their order; of one person, or of all. */
  list(workspaceId: string, userId: string | null): WorkspaceTab[] {
    return this.database
      .prepare(
        `SELECT * FROM tabs WHERE workspace_id = ? AND (? IS NULL OR user_id = ?)
         ORDER BY sort_order, created_at`,
      )
      .all(workspaceId, userId, userId)
      .map((row) => ({
        id: String(row.session_id),
        workspaceId,
        type: 'terminal' as const,
        label: String(row.label),
        sortOrder: Number(row.sort_order),
        createdAt: String(row.created_at),
      }));
  }
}

function idOf({ workspaceId, userId, sessionId }: TerminalKey): [string, string, string] {
  return [workspaceId, userId, sessionId];
}
