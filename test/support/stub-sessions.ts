import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostLimits } from '../../agent/src/agent-sessions/host-limits.js';
import { composeAgentSessions } from '../../agent/src/composition/agent-sessions.js';
import { Log } from '../../agent/src/shared/log.js';
import { openDatabase } from '../../agent/src/store/database.js';
import type { Workspace } from '../../agent/src/workspaces/workspace.js';
import { RecordedConversations } from './recorded-conversations.js';
import { RecordedReports } from './recorded-reports.js';
import { StubHarnesses } from './stub-harness.js';

export const workspaceId = '01K0000000000000000000000W';

const limits: HostLimits = {
  retries: { maxRetries: 2, initialBackoffMs: 1, maxBackoffMs: 2 },
  restarts: {
    maxAttempts: 3,
    decayMs: 60_000,
    pauseMs: 1,
    attemptTimeoutMs: 5_000,
    firstStartTimeoutMs: 5_000,
  },
  cancelGraceMs: 20,
  promptTimeoutMs: 0,
  taskPromptTimeoutMs: 0,
  stopTimeoutMs: 100,
  drainMs: 20,
};

/** Real sessions with a stub harness and stub viewers. Pass a state file to restart on it. */
export function stubSessions(
  overrides: Partial<HostLimits> = {},
  path = join(mkdtempSync(join(tmpdir(), 'sessions-')), 'state.db'),
) {
  const database = openDatabase(path);
  const harnesses = new StubHarnesses();
  const conversations = new RecordedConversations();
  const events: string[] = [];
  const workspace = { workspaceId, status: 'running' as Workspace['status'] };
  const find = () => workspace as Workspace;
  const reports = new RecordedReports();
  const composed = composeAgentSessions({
    database,
    harnesses,
    conversations,
    taskWork: { save: async () => null },
    events: { add: ({ type }) => events.push(type) },
    log: new Log({ level: 'error', format: 'json' }, () => undefined),
    decidePermission: () => null,
    interactionReports: reports,
    tabs: { sessionOpened: () => undefined, sessionClosed: () => undefined },
    workspaces: { find, running: find },
    worktreeFolder: async (_, folder) => folder,
    limits: { ...limits, ...overrides },
    rolloverLimits: { graceMs: 20, maxGraceMs: 100, timeoutMs: 2_000 },
    now: Date.now,
  });
  composed.records.reconcileOnStart();
  return {
    ...composed,
    path,
    database,
    harnesses,
    reported: conversations.sink,
    conversations,
    events,
    workspace,
    reports,
  };
}

export type StubSessions = ReturnType<typeof stubSessions>;
