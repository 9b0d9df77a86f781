import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Each entry brings the schema one version further; entries are never changed, only added. */
const migrations: readonly string[] = [
  `CREATE TABLE workspaces (
     workspace_id TEXT PRIMARY KEY,
     generation INTEGER NOT NULL,
     status TEXT NOT NULL,
     settings TEXT NOT NULL,
     callback_token TEXT NOT NULL,
     error_message TEXT,
     pending_callback TEXT,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT;
   CREATE TABLE deletions (
     workspace_id TEXT PRIMARY KEY,
     generation INTEGER NOT NULL,
     is_done INTEGER NOT NULL
   ) STRICT;`,
  // What ran or was stopped has its files: it must not be made from nothing by a later restart.
  `ALTER TABLE workspaces ADD COLUMN making TEXT NOT NULL DEFAULT 'create';
   UPDATE workspaces SET making = 'restart' WHERE status IN ('running', 'recovering', 'stopped');
   CREATE TABLE tabs (
     workspace_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     label TEXT NOT NULL,
     sort_order INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     PRIMARY KEY (workspace_id, user_id, session_id)
   ) STRICT;`,
];

/** Opens the agent's durable state; what is committed there survives a crash of process and machine. */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  chmodSync(path, 0o600);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
  migrate(database);
  return database;
}

function migrate(database: DatabaseSync): void {
  const row = database.prepare('PRAGMA user_version').get();
  const version = Number(row?.user_version ?? 0);
  if (version > migrations.length)
    throw new Error(`The state was written by a newer agent (version ${version})`);
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN; ${statements} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
