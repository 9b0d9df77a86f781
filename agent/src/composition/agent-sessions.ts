import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AgentSessions, type AgentSessionsDeps } from '../agent-sessions/agent-sessions.js';
import { ConversationSummaries } from '../agent-sessions/conversation-summaries.js';
import type { HostLimits } from '../agent-sessions/host-limits.js';
import { InteractionAnswers } from '../agent-sessions/interaction-answers.js';
import { PromptFence } from '../agent-sessions/prompt-fence.js';
import { PromptIntake } from '../agent-sessions/prompt-intake.js';
import { ReceiptStore } from '../agent-sessions/receipt-store.js';
import { RolloverStore } from '../agent-sessions/rollover-store.js';
import { type RolloverLimits, Rollovers } from '../agent-sessions/rollovers.js';
import { SessionHosts, type SessionHostsDeps } from '../agent-sessions/session-hosts.js';
import { SessionRecords } from '../agent-sessions/session-records.js';
import { SessionStore } from '../agent-sessions/session-store.js';
import { isRunning } from '../workspaces/workspace.js';

interface AgentSessionDeps
  extends Pick<
      SessionHostsDeps,
      | 'harnesses'
      | 'conversations'
      | 'taskWork'
      | 'events'
      | 'log'
      | 'decidePermission'
      | 'interactionReports'
    >,
    Pick<AgentSessionsDeps, 'tabs' | 'workspaces' | 'worktreeFolder'> {
  readonly database: DatabaseSync;
  readonly limits: HostLimits;
  readonly rolloverLimits: RolloverLimits;
  readonly now: () => number;
}

export interface AgentSessionServices {
  readonly hosts: SessionHosts;
  readonly records: SessionRecords;
  readonly intake: PromptIntake;
  readonly fence: PromptFence;
  readonly sessions: AgentSessions;
  readonly answers: InteractionAnswers;
  readonly rollovers: Rollovers;
}

/**
 * Agent sessions and their records. Each start of the agent's process has a new runtime identity.
 */
export function composeAgentSessions(deps: AgentSessionDeps): AgentSessionServices {
  const { database, workspaces, events, now } = deps;
  const runtimeIdentity = randomUUID();
  const date = () => new Date(now());
  const records = new SessionRecords(database, {
    sessions: new SessionStore(database, date),
    receipts: new ReceiptStore(database, runtimeIdentity, now),
    rollovers: new RolloverStore(database, runtimeIdentity, date),
    summaries: new ConversationSummaries(database),
  });
  const workspace = (workspaceId: string) => workspaces.find(workspaceId);
  const hosts = new SessionHosts({ ...deps, records, workspace });
  const runs = (workspaceId: string) => {
    const found = workspaces.find(workspaceId);
    return found !== null && isRunning(found);
  };
  const fence = new PromptFence();
  const intake = new PromptIntake({ hosts, records, events, isRunning: runs, fence, now });
  const sessions = new AgentSessions({ ...deps, records, hosts, intake });
  const rollovers = new Rollovers(deps.rolloverLimits, { records, hosts, events });
  const answers = new InteractionAnswers({ runtimeIdentity, hosts });
  return { hosts, records, intake, fence, sessions, answers, rollovers };
}
