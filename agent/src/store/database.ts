import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Seal } from './seal.js';
import { sealExisting, useSeal } from './sealed-columns.js';

/** Each entry is one schema version. Never change an entry; add one. */
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
  // A workspace that has run has files, which a restart must keep.
  `ALTER TABLE workspaces ADD COLUMN provision_kind TEXT NOT NULL DEFAULT 'create';
   UPDATE workspaces SET provision_kind = 'restart' WHERE status IN ('running', 'recovering', 'stopped');
   CREATE TABLE tabs (
     workspace_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     label TEXT NOT NULL,
     sort_order INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     PRIMARY KEY (workspace_id, user_id, session_id)
   ) STRICT;`,
  // Coding-agent sessions. A tab of one belongs to the workspace: its user_id is ''.
  `ALTER TABLE tabs ADD COLUMN type TEXT NOT NULL DEFAULT 'terminal';
   ALTER TABLE tabs ADD COLUMN agent_type TEXT;
   CREATE TABLE agent_sessions (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     status TEXT NOT NULL,
     label TEXT,
     agent_type TEXT,
     acp_session_id TEXT,
     last_prompt TEXT,
     error_message TEXT,
     chat_session_id TEXT,
     project_id TEXT,
     task_id TEXT,
     task_mode TEXT,
     work_dir TEXT,
     settings TEXT NOT NULL,
     mcp_servers TEXT NOT NULL,
     idempotency_key TEXT,
     restart_count INTEGER NOT NULL DEFAULT 0,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     stopped_at TEXT,
     suspended_at TEXT,
     PRIMARY KEY (workspace_id, session_id)
   ) STRICT;
   CREATE TABLE prompt_receipts (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     delivery_id TEXT NOT NULL,
     protocol_version INTEGER NOT NULL,
     request_hash TEXT NOT NULL,
     state TEXT NOT NULL,
     runtime_id TEXT NOT NULL,
     stop_reason TEXT,
     error_code TEXT,
     accepted_at INTEGER NOT NULL,
     completed_at INTEGER,
     updated_at INTEGER NOT NULL,
     PRIMARY KEY (workspace_id, session_id, delivery_id)
   ) STRICT;
   CREATE INDEX prompt_receipts_by_state ON prompt_receipts (state, updated_at);
   CREATE TABLE rollover_operations (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     operation_id TEXT NOT NULL,
     protocol_version INTEGER NOT NULL,
     request_hash TEXT NOT NULL,
     state TEXT NOT NULL,
     runtime_id TEXT NOT NULL,
     is_forced INTEGER NOT NULL,
     acp_session_id TEXT,
     error_code TEXT,
     error_message TEXT,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     PRIMARY KEY (workspace_id, session_id, operation_id)
   ) STRICT;
   CREATE TABLE message_outbox (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     workspace_id TEXT NOT NULL,
     chat_session_id TEXT NOT NULL,
     sequence INTEGER NOT NULL,
     message_id TEXT NOT NULL,
     role TEXT NOT NULL,
     content TEXT NOT NULL,
     tool_metadata TEXT,
     origin TEXT,
     created_at TEXT NOT NULL,
     UNIQUE (workspace_id, message_id)
   ) STRICT;
   CREATE TABLE message_sequences (
     workspace_id TEXT NOT NULL,
     chat_session_id TEXT NOT NULL,
     last_sequence INTEGER NOT NULL,
     PRIMARY KEY (workspace_id, chat_session_id)
   ) STRICT;`,
  `CREATE TABLE ended_sessions (
     session_hash TEXT PRIMARY KEY,
     ended_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX ended_sessions_by_time ON ended_sessions (ended_at);`,
  `ALTER TABLE message_outbox ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE message_outbox ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX message_outbox_by_size ON message_outbox (workspace_id, bytes);
   CREATE INDEX message_outbox_by_place ON message_outbox (workspace_id, is_open, position);`,
  `CREATE TABLE session_restores (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     snapshot TEXT NOT NULL,
     answer TEXT NOT NULL,
     PRIMARY KEY (workspace_id, session_id)
   ) STRICT;`,
  `ALTER TABLE message_sequences ADD COLUMN stream_id TEXT NOT NULL DEFAULT '';
   UPDATE message_sequences SET stream_id = lower(hex(randomblob(16)));`,
  `CREATE TABLE message_contents (
     position INTEGER PRIMARY KEY REFERENCES message_outbox (position) ON DELETE CASCADE,
     content TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     sha256 TEXT,
     attempts INTEGER NOT NULL DEFAULT 0
   ) STRICT;`,
  `CREATE TABLE quarantine (
     workspace_id TEXT PRIMARY KEY,
     since TEXT NOT NULL
   ) STRICT;`,
  `CREATE TABLE kept_answers (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     name TEXT NOT NULL,
     generation INTEGER NOT NULL,
     sealed TEXT NOT NULL,
     PRIMARY KEY (workspace_id, session_id, name)
   ) STRICT;
   CREATE TRIGGER answers_of_stopped_session AFTER UPDATE OF status ON agent_sessions
     WHEN NEW.status = 'stopped' BEGIN
       DELETE FROM kept_answers WHERE workspace_id = NEW.workspace_id AND session_id = NEW.session_id;
     END;
   CREATE TRIGGER answers_of_deleted_session AFTER DELETE ON agent_sessions BEGIN
     DELETE FROM kept_answers WHERE workspace_id = OLD.workspace_id AND session_id = OLD.session_id;
   END;
   CREATE TRIGGER answers_of_earlier_generation AFTER UPDATE OF generation ON workspaces
     WHEN NEW.generation <> OLD.generation BEGIN
       DELETE FROM kept_answers WHERE workspace_id = NEW.workspace_id;
     END;
   CREATE TRIGGER answers_of_deleted_workspace AFTER DELETE ON workspaces BEGIN
     DELETE FROM kept_answers WHERE workspace_id = OLD.workspace_id;
   END;`,
  `ALTER TABLE agent_sessions ADD COLUMN is_conversation_lost INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE conversation_summaries (
     workspace_id TEXT NOT NULL,
     session_id TEXT NOT NULL,
     texts TEXT NOT NULL,
     PRIMARY KEY (workspace_id, session_id)
   ) STRICT;`,
  'ALTER TABLE agent_sessions ADD COLUMN resumes_with_workspace INTEGER NOT NULL DEFAULT 0;',
  `CREATE TABLE runtime_files (
     workspace_id TEXT NOT NULL,
     owner TEXT NOT NULL,
     path TEXT NOT NULL,
     PRIMARY KEY (workspace_id, owner, path)
   ) STRICT;
   CREATE TRIGGER files_of_deleted_workspace AFTER DELETE ON workspaces BEGIN
     DELETE FROM runtime_files WHERE workspace_id = OLD.workspace_id;
   END;`,
  `DROP TABLE session_restores;
   CREATE TABLE workspace_restores (
     workspace_id TEXT PRIMARY KEY,
     operation_id TEXT NOT NULL,
     result TEXT NOT NULL
   ) STRICT;
   CREATE TABLE workspace_sleeps (
     workspace_id TEXT PRIMARY KEY,
     operation_id TEXT NOT NULL
   ) STRICT;
   CREATE TABLE snapshot_operations (
     workspace_id TEXT PRIMARY KEY,
     operation_id TEXT NOT NULL,
     kind TEXT NOT NULL,
     session_id TEXT NOT NULL,
     request TEXT NOT NULL
   ) STRICT;`,
  `ALTER TABLE agent_sessions ADD COLUMN interactions TEXT;
   CREATE TABLE interaction_reports (
     interaction_id TEXT NOT NULL,
     call TEXT NOT NULL,
     workspace_id TEXT NOT NULL,
     project_id TEXT NOT NULL,
     waiter TEXT NOT NULL,
     detail TEXT,
     deadline_at INTEGER NOT NULL,
     PRIMARY KEY (interaction_id, call)
   ) STRICT;
   CREATE TRIGGER interactions_of_deleted_workspace AFTER DELETE ON workspaces BEGIN
     DELETE FROM interaction_reports WHERE workspace_id = OLD.workspace_id;
   END;`,
  `ALTER TABLE workspaces ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE workspaces ADD COLUMN eviction_generation TEXT NOT NULL DEFAULT '';
   CREATE TABLE eviction_deliveries (
     id TEXT PRIMARY KEY,
     workspace_id TEXT NOT NULL,
     project_id TEXT NOT NULL,
     node_id TEXT NOT NULL,
     container_id TEXT NOT NULL,
     generation TEXT NOT NULL,
     reason TEXT NOT NULL CHECK (reason IN ('memory_pressure', 'oom_kill')),
     snapshot_captured INTEGER NOT NULL,
     container_stopped INTEGER NOT NULL,
     work_in_flight INTEGER NOT NULL,
     cause TEXT,
     occurred_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     next_attempt_at INTEGER NOT NULL,
     payload_revision INTEGER NOT NULL DEFAULT 1
   ) STRICT;
   CREATE INDEX eviction_deliveries_by_time ON eviction_deliveries (next_attempt_at, id);
   CREATE TRIGGER evictions_of_deleted_workspace AFTER DELETE ON workspaces BEGIN
     DELETE FROM eviction_deliveries WHERE workspace_id = OLD.workspace_id;
   END;
   CREATE TRIGGER unstopped_evictions_of_earlier_start AFTER UPDATE OF eviction_generation ON workspaces
     WHEN NEW.eviction_generation <> OLD.eviction_generation BEGIN
       DELETE FROM eviction_deliveries WHERE workspace_id = OLD.workspace_id AND container_stopped = 0;
   END;`,
  'CREATE TABLE used_tokens (id TEXT PRIMARY KEY) STRICT;',
];

/**
 * Opens the agent's database. Commits survive crashes of process and machine. The key of its sealed
 * columns is a file beside it.
 */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  chmodSync(path, 0o600);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
  migrate(database);
  useSeal(database, Seal.load(join(dirname(path), 'seal.key')));
  sealExisting(database);
  return database;
}

function migrate(database: DatabaseSync): void {
  const row = database.prepare('PRAGMA user_version').get();
  const version = Number(row?.user_version ?? 0);
  if (version > migrations.length)
    throw new Error(`The database has version ${version}, which a newer agent wrote. Install that agent.`);
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN; ${statements} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/**
 * Prepares a statement once for each database. Preparing it for each use is slower and holds memory
 * that the garbage collector does not see. Bind values: every text is kept.
 */
export function prepare(database: DatabaseSync, sql: string): StatementSync {
  const own = prepared.get(database) ?? new Map<string, StatementSync>();
  prepared.set(database, own);
  const statement = own.get(sql) ?? database.prepare(sql);
  own.set(sql, statement);
  return statement;
}

/**
 * Commits all writes of `work` together, or none. `work` is synchronous, so nothing else of this
 * process runs in between.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A failed COMMIT may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
