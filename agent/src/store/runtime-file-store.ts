import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, prepare } from './database.js';

/** The session that a file was written for, or '' for the shells of the workspace. */
export interface FileOwner {
  readonly workspaceId: string;
  readonly owner: string;
}

/** Paths of the files that the agent wrote for profiles and skills, so that it can remove them. */
export class RuntimeFileStore {
  constructor(private readonly database: DatabaseSync) {}

  /** Recorded before the files are written: a crash leaves no unknown file. */
  add({ workspaceId, owner }: FileOwner, paths: readonly string[]): void {
    const sql = 'INSERT OR IGNORE INTO runtime_files (workspace_id, owner, path) VALUES (?, ?, ?)';
    inTransaction(this.database, () => {
      for (const path of paths) prepare(this.database, sql).run(workspaceId, owner, path);
    });
  }

  of({ workspaceId, owner }: FileOwner): string[] {
    const sql = 'SELECT path FROM runtime_files WHERE workspace_id = ? AND owner = ? ORDER BY path';
    return prepare(this.database, sql)
      .all(workspaceId, owner)
      .map(({ path }) => String(path));
  }

  /** Returns true when no other owner has the file. */
  remove({ workspaceId, owner }: FileOwner, path: string): boolean {
    const mine = 'DELETE FROM runtime_files WHERE workspace_id = ? AND owner = ? AND path = ?';
    prepare(this.database, mine).run(workspaceId, owner, path);
    const others = 'SELECT 1 FROM runtime_files WHERE workspace_id = ? AND path = ?';
    return prepare(this.database, others).get(workspaceId, path) === undefined;
  }
}
