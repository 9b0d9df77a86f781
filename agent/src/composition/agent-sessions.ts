import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AgentSessions, type AgentSessionsParts } from '../agent-sessions/agent-sessions.js';
import type { HostLimits } from '../agent-sessions/host-limits.js';
import { PromptIntake } from '../agent-sessions/prompt-intake.js';
import { ReceiptStore } from '../agent-sessions/receipt-store.js';
import { RolloverStore } from '../agent-sessions/rollover-store.js';
import { type RolloverLimits, Rollovers } from '../agent-sessions/rollovers.js';
import { Hosts, type HostsParts } from '../agent-sessions/session-hosts.js';
import { SessionStore } from '../agent-sessions/session-store.js';
import { TurnRecords } from '../agent-sessions/turn-records.js';
import type { WorkspaceStatus } from '../workspaces/workspace.js';

export interface AgentSessionNeeds
  extends Pick<HostsParts, 'harnesses' | 'conversations' | 'events' | 'log' | 'decidePermission'>,
    Pick<AgentSessionsParts, 'tabs' | 'workspaces' | 'worktreeFolder'> {
  readonly database: DatabaseSync;
  readonly limits: HostLimits;
  readonly rolloverLimits: RolloverLimits;
  readonly now: () => number;
}

const runs: readonly WorkspaceStatus[] = ['running', 'recovering'];

/** Agent sessions with their stores; of this run of the agent, which has an identity of its own. */
export function composeAgentSessions(needs: AgentSessionNeeds) {
  const { database, workspaces, events, now } = needs;
  const runtimeIdentity = randomUUID();
  const date = () => new Date(now());
  const store = new SessionStore(database, date);
  const receipts = new ReceiptStore(database, runtimeIdentity, now);
  const rolloverStore = new RolloverStore(database, runtimeIdentity, date);
  const records = new TurnRecords(database, { sessions: store, receipts, rollovers: rolloverStore });
  const workspace = (workspaceId: string) => workspaces.find(workspaceId);
  const hosts = new Hosts({ ...needs, store, records, workspace });
  const isRunning = (workspaceId: string) => runs.includes(workspaces.find(workspaceId)?.status ?? 'stopped');
  const intake = new PromptIntake({ hosts, receipts, records, events, isRunning, now });
  const sessions = new AgentSessions({ ...needs, store, hosts, intake });
  const rollovers = new Rollovers(needs.rolloverLimits, { store: rolloverStore, hosts, events });
  return {
    hosts,
    runtimeIdentity,
    sessionStore: store,
    receipts,
    intake,
    sessions,
    rollovers,
    /** Whatever an earlier run of the agent had begun is settled before anybody is served. */
    reconcileOnStart: () => {
      receipts.interruptOthers();
      rolloverStore.interruptOthers();
    },
    /** With the workspace; nothing of it may be open any more. */
    removeWorkspace: (workspaceId: string) => {
      for (const table of [store, receipts, rolloverStore]) table.removeWorkspace(workspaceId);
    },
  };
}
