import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SessionStore } from '../agent-sessions/session-store.js';
import { openDatabase } from './database.js';
import { WorkspaceStore } from './workspace-store.js';

const workspaceId = '01K0000000000000000000000W';
const key = { workspaceId, sessionId: 'session' };
const secrets = ['callback-secret', 'registry-secret', 'mcp-secret'];
const settings = {
  repository: null,
  cloneUrl: null,
  branch: null,
  devcontainerCache: { ref: 'cache/image', password: 'registry-secret' },
};
const mcpServers = [{ url: 'https://berth.example/mcp', token: 'mcp-secret' }];
const newPath = () => join(mkdtempSync(join(tmpdir(), 'sealed-')), 'state.db');

function open(path: string) {
  const database = openDatabase(path);
  const now = () => new Date('2026-01-01T00:00:00Z');
  return {
    database,
    workspaces: new WorkspaceStore(database, now),
    sessions: new SessionStore(database, now),
  };
}

function write(path: string): void {
  const { database, workspaces, sessions } = open(path);
  workspaces.begin({ workspaceId, generation: 1, settings, callbackToken: 'callback-secret' });
  sessions.create({ ...key, mcpServers });
  database.close();
}

/** Secrets that a file of the state folder, other than the key, has readable. */
function readable(path: string): string[] {
  const folder = dirname(path);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  return secrets.filter((secret) => files.some((file) => file.includes(secret)));
}

it('stores callback tokens, registry passwords and MCP tokens sealed, and returns them', () => {
  const path = newPath();
  write(path);

  expect(readable(path)).toEqual([]);
  const { workspaces, sessions } = open(path);
  expect(workspaces.find(workspaceId)).toMatchObject({ settings, callbackToken: 'callback-secret' });
  expect(sessions.find(key)).toMatchObject({ mcpServers });
});

it('seals at start what an earlier release stored readable', () => {
  const path = newPath();
  write(path);
  {
    using database = new DatabaseSync(path);
    const update = 'UPDATE workspaces SET callback_token = ?, settings = ?';
    database.prepare(update).run('callback-secret', JSON.stringify(settings));
    database.prepare('UPDATE agent_sessions SET mcp_servers = ?').run(JSON.stringify(mcpServers));
  }
  expect(readable(path)).toEqual(secrets);

  const { workspaces, sessions } = open(path);

  expect(readable(path)).toEqual([]);
  expect(workspaces.find(workspaceId)).toMatchObject({ settings, callbackToken: 'callback-secret' });
  expect(sessions.find(key)).toMatchObject({ mcpServers });
});

it('keeps workspaces and sessions without their secrets when the key file is lost', () => {
  const path = newPath();
  write(path);
  rmSync(join(dirname(path), 'seal.key'));

  const { workspaces, sessions } = open(path);
  const found = workspaces.find(workspaceId);

  expect(found).toMatchObject({ callbackToken: '', settings: { devcontainerCache: { ref: 'cache/image' } } });
  expect(found?.settings.devcontainerCache).not.toHaveProperty('password');
  expect(sessions.find(key)).toMatchObject({ mcpServers: [] });
  expect(found && workspaces.renewToken(found, 'renewed')).toBe(true);
  expect(workspaces.find(workspaceId)?.callbackToken).toBe('renewed');
});
