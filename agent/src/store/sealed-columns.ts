import type { DatabaseSync } from 'node:sqlite';
import type { Seal } from './seal.js';

const prefix = 'sealed:';
const seals = new WeakMap<DatabaseSync, Seal>();

export function useSeal(database: DatabaseSync, seal: Seal): void {
  seals.set(database, seal);
}

export function sealOf(database: DatabaseSync): Seal {
  const seal = seals.get(database);
  if (!seal) throw new Error('The database has no seal. Open it with openDatabase.');
  return seal;
}

export type SealedColumn = 'callback_token' | 'mcp_servers' | 'registry_password' | 'snapshot_request';

/** Table and column with the ids of the row: a text that is copied to another row does not open. */
export type ColumnOwner = readonly [column: SealedColumn, ...ids: (string | number)[]];

export function closed(database: DatabaseSync, text: string, owner: ColumnOwner): string {
  return prefix + sealOf(database).close(text, JSON.stringify(owner));
}

/** Null when the seal does not open it, for example after the loss of the key file. */
export function opened(database: DatabaseSync, stored: string, owner: ColumnOwner): string | null {
  if (!stored.startsWith(prefix)) return stored;
  return sealOf(database).open(stored.slice(prefix.length), JSON.stringify(owner));
}

interface Settings {
  readonly devcontainerCache?: { readonly password?: string | undefined } | undefined;
}

/** Settings as stored: the password of the cache's registry is closed. */
export function closedSettings(database: DatabaseSync, settings: Settings, workspaceId: string): Settings {
  const { devcontainerCache: cache } = settings;
  if (cache?.password === undefined) return settings;
  const password = closed(database, cache.password, ['registry_password', workspaceId]);
  return { ...settings, devcontainerCache: { ...cache, password } };
}

/** Without a password that does not open. */
export function openedSettings(database: DatabaseSync, settings: Settings, workspaceId: string): Settings {
  const { password: stored, ...cache } = settings.devcontainerCache ?? {};
  if (stored === undefined) return settings;
  const password = opened(database, stored, ['registry_password', workspaceId]);
  return { ...settings, devcontainerCache: { ...cache, ...(password === null ? {} : { password }) } };
}

/** Seals what an earlier release stored readable, and removes it from free pages and the log. */
export function sealExisting(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  const count = sealTokens(database) + sealPasswords(database) + sealMcpServers(database);
  database.exec('COMMIT');
  if (count > 0) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE);');
}

function sealTokens(database: DatabaseSync): number {
  const rows = database
    .prepare(`SELECT workspace_id, generation, callback_token FROM workspaces
      WHERE callback_token NOT LIKE '${prefix}%'`)
    .all();
  const update = database.prepare('UPDATE workspaces SET callback_token = ? WHERE workspace_id = ?');
  for (const row of rows) {
    const id = String(row.workspace_id);
    const owner = ['callback_token', id, Number(row.generation)] as const;
    update.run(closed(database, String(row.callback_token), owner), id);
  }
  return rows.length;
}

function sealPasswords(database: DatabaseSync): number {
  const rows = database
    .prepare(`SELECT workspace_id, settings FROM workspaces
      WHERE json_extract(settings, '$.devcontainerCache.password') NOT LIKE '${prefix}%'`)
    .all();
  const update = database.prepare('UPDATE workspaces SET settings = ? WHERE workspace_id = ?');
  for (const row of rows) {
    const id = String(row.workspace_id);
    const settings: Settings = JSON.parse(String(row.settings));
    update.run(JSON.stringify(closedSettings(database, settings, id)), id);
  }
  return rows.length;
}

function sealMcpServers(database: DatabaseSync): number {
  const rows = database
    .prepare(`SELECT workspace_id, session_id, mcp_servers FROM agent_sessions
      WHERE mcp_servers <> '[]' AND mcp_servers NOT LIKE '${prefix}%'`)
    .all();
  const update = database.prepare(
    'UPDATE agent_sessions SET mcp_servers = ? WHERE workspace_id = ? AND session_id = ?',
  );
  for (const row of rows) {
    const [workspaceId, sessionId] = [String(row.workspace_id), String(row.session_id)];
    const owner = ['mcp_servers', workspaceId, sessionId] as const;
    update.run(closed(database, String(row.mcp_servers), owner), workspaceId, sessionId);
  }
  return rows.length;
}
