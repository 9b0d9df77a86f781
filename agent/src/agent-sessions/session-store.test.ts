import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AgentSessionStatus, agentSessionStatuses } from '../../../protocol/agent-sessions.js';
import { openDatabase } from '../store/database.js';
import { SessionStore } from './session-store.js';

const key = { workspaceId: '01K0000000000000000000000W', sessionId: 'one' };

function open(path = join(mkdtempSync(join(tmpdir(), 'sessions-')), 'state.db')) {
  const database = openDatabase(path);
  return { path, database, store: new SessionStore(database, () => new Date('2026-01-01T00:00:00Z')) };
}

it('keeps records with servers and settings over a restart', () => {
  const { path, database, store } = open();
  store.create({ ...key, label: 'First', mcpServers: [{ url: 'https://mcp.example/x', token: 't' }] });
  const settings = {
    model: 'm',
    permissionMode: 'plan',
    effort: null,
    opencodeProvider: null,
    opencodeBaseUrl: null,
  };
  store.applyStart(key, { agentType: 'claude-code', keepsAcpSession: true, settings, taskMode: 'task' });
  store.setAcpSession(key, 'acp-1');
  store.setLastPrompt(key, 'x'.repeat(500));
  database.close();

  expect(open(path).store.find(key)).toMatchObject({
    status: 'running',
    label: 'First',
    agentType: 'claude-code',
    acpSessionId: 'acp-1',
    settings,
    mcpServers: [{ url: 'https://mcp.example/x', token: 't' }],
    taskMode: 'task',
    lastPrompt: 'x'.repeat(200),
  });
});

it('creates a session once, and reports a second attempt', () => {
  const { store } = open();

  expect(store.create({ ...key, label: 'First' })).toBe(true);
  expect(store.create({ ...key, label: 'Second' })).toBe(false);
  expect(store.list(key.workspaceId)).toMatchObject([{ label: 'First' }]);
});

it('finds the chat that began last, among the sessions of a project', () => {
  const { workspaceId } = key;
  let now = Date.parse('2026-01-01T00:00:00Z');
  const { database } = open();
  const store = new SessionStore(database, () => new Date(now));
  const create = (sessionId: string, chat: { projectId?: string; chatSessionId?: string }, at: number) => {
    now = Date.parse('2026-01-01T00:00:00Z') + at;
    store.create({ workspaceId, sessionId, ...chat });
  };
  expect(store.latestChat(workspaceId)).toBeNull();

  create('a', { projectId: 'p', chatSessionId: 'chat-a' }, 1_000);
  create('b', { projectId: 'p', chatSessionId: 'chat-b' }, 2_000);
  create('same-time', { projectId: 'p', chatSessionId: 'chat-c' }, 2_000);
  create('no-chat', { projectId: 'p' }, 3_000);
  create('no-project', { chatSessionId: 'chat-d' }, 4_000);
  const start = { agentType: 'claude-code', keepsAcpSession: true, taskId: 'task' } as const;
  store.applyStart({ workspaceId, sessionId: 'b' }, start);

  expect(store.latestChat(workspaceId)).toEqual({ projectId: 'p', chatSessionId: 'chat-b', taskId: 'task' });
  expect(store.latestChat('other')).toBeNull();
});

it('deletes MCP servers and their tokens at a stop, not at a suspension', () => {
  const { store } = open();
  store.create({ ...key, mcpServers: [{ url: 'https://mcp.example/x', token: 't' }] });

  store.move(key, { from: ['running'], to: 'suspended' });
  expect(store.find(key)?.mcpServers).toHaveLength(1);
  store.move(key, { from: ['suspended'], to: 'stopped' });
  expect(store.find(key)?.mcpServers).toEqual([]);
});

it('drops the ACP session of another agent type', () => {
  const { store } = open();
  store.create(key);
  store.applyStart(key, { agentType: 'claude-code', keepsAcpSession: true });
  store.setAcpSession(key, 'acp-1');

  store.applyStart(key, { agentType: 'opencode', keepsAcpSession: false });

  expect(store.find(key)).toMatchObject({ agentType: 'opencode', acpSessionId: null });
});

it('keeps the fence of a restore until the restore or a stop ends it', () => {
  const { store } = open();
  store.create(key);
  store.fences.begin(key);

  expect(store.move(key, { from: ['suspended', 'error'], to: 'running' })).toBe(false);
  expect(store.move(key, { from: ['running', 'error'], to: 'suspended' })).toBe(false);
  expect(store.find(key)?.status).toBe('error');
  expect(store.move(key, { from: ['error'], to: 'stopped' })).toBe(true);
});

it('changes status by compare-and-set, in any order of requests', () => {
  const status = fc.constantFrom(...agentSessionStatuses);
  const move = fc.record({ from: fc.uniqueArray(status, { minLength: 1 }), to: status });
  const { store } = open();
  let run = 0;

  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      const session = { ...key, sessionId: `run-${run++}` };
      store.create(session);
      let model: AgentSessionStatus = 'running';
      for (const { from, to } of moves) {
        const isAllowed = from.includes(model);
        expect(store.move(session, { from, to })).toBe(isAllowed);
        if (isAllowed) model = to;
        expect(store.find(session)?.status).toBe(model);
        expect(store.setAcpSession(session, 'acp')).toBe(model === 'running');
      }
    }),
    { numRuns: 40 },
  );
});
