import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SessionStore } from '../agent-sessions/session-store.js';
import { openDatabase } from './database.js';
import { TabStore } from './tab-store.js';

const now = () => new Date('2026-11-21T12:00:00.000Z');
const workspaceId = 'W';

function stores() {
  const database = openDatabase(join(mkdtempSync(join(tmpdir(), 'tabs-')), 'state.db'));
  return { tabs: new TabStore(database, now), sessions: new SessionStore(database, now) };
}

it('shows each person their own shells, and everyone the chats', () => {
  const { tabs } = stores();
  tabs.opened({ workspaceId, userId: 'ann', sessionId: 'shell-a' }, null);
  tabs.opened({ workspaceId, userId: 'bob', sessionId: 'shell-b' }, 'Build');
  tabs.sessionOpened({ workspaceId, sessionId: 'chat', label: 'Fix it' });

  const seenBy = (userId: string | null) => tabs.list(workspaceId, userId).map(({ id }) => id);

  expect(seenBy('ann')).toEqual(['shell-a', 'chat']);
  expect(seenBy('bob')).toEqual(['shell-b', 'chat']);
  expect(seenBy(null)).toEqual(['shell-a', 'shell-b', 'chat']);
});

it('shows agent, session and last prompt of a chat', () => {
  const { tabs, sessions } = stores();
  const key = { workspaceId, sessionId: 'chat' };
  sessions.create(key);
  tabs.sessionOpened({ ...key, label: null });
  const before = tabs.list(workspaceId, null);
  sessions.applyStart(key, { agentType: 'claude-code', keepsAcpSession: false });
  sessions.setAcpSession(key, 'acp-1');
  sessions.setLastPrompt(key, 'x'.repeat(500));

  const after = tabs.list(workspaceId, null);

  expect(before).toMatchObject([{ type: 'chat', label: 'Agent', agentId: null, acpSessionId: null }]);
  expect(after).toMatchObject([
    { agentId: 'claude-code', acpSessionId: 'acp-1', lastPrompt: 'x'.repeat(200) },
  ]);
});

it('keeps a chat tab regardless of the number of shells, until it is closed', () => {
  const { tabs } = stores();
  const chat = { workspaceId, sessionId: 'chat', label: 'Chat' };
  tabs.sessionOpened(chat);
  tabs.sessionOpened({ ...chat, label: 'Again' });
  for (let index = 0; index < 60; index++)
    tabs.opened({ workspaceId, userId: 'ann', sessionId: `shell-${index}` }, null);

  const open = tabs.list(workspaceId, 'bob');
  tabs.sessionClosed(chat);

  expect(open).toMatchObject([{ id: 'chat', label: 'Chat' }]);
  expect(tabs.list(workspaceId, null)).toHaveLength(50);
  expect(tabs.list(workspaceId, 'bob')).toEqual([]);
});
