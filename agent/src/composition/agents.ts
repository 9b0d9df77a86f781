import type { HostLimits } from '../agent-sessions/host-limits.js';
import { GitTaskWork } from '../agent-sessions/task-work.js';
import type { Config } from '../config/config.js';
import { decidePermission } from '../harness/acp/permission-policy.js';
import { InteractionReports } from '../interactions/interaction-reports.js';
import { ReportStore } from '../interactions/report-store.js';
import type { ResourceHistory } from '../resource-history/resource-history.js';
import { type AgentSessionServices, composeAgentSessions } from './agent-sessions.js';
import { type ConversationServices, composeConversations } from './conversations.js';
import type { Foundation } from './foundation.js';
import { composeHarnesses } from './harnesses.js';
import { composeResourceHistory } from './resource-history.js';
import { composeSnapshots, type SnapshotServices } from './snapshots.js';
import type { WorkspaceContent, WorkspaceServices } from './workspaces.js';

/** Coding agents: their harnesses, conversations, sessions and snapshots. */
export interface AgentServices {
  readonly conversations: ConversationServices;
  readonly sessions: AgentSessionServices;
  readonly interactionReports: InteractionReports;
  readonly snapshots: SnapshotServices;
  readonly resourceHistory: ResourceHistory;
  /** Runs once, before the agent serves requests. */
  readonly start: () => Promise<void>;
  readonly removeWorkspace: (workspaceId: string) => Promise<void>;
}

export function composeAgents(
  foundation: Foundation,
  workspaces: WorkspaceServices,
  { files }: Pick<WorkspaceContent, 'files'>,
): AgentServices {
  const { config, storage, controlPlane, log } = foundation;
  const interactionReports = composeInteractionReports(foundation);
  const { database, workspaces: store, events } = storage;
  const { client, nodeToken: token } = controlPlane;
  const resourceHistory: ResourceHistory = composeResourceHistory(foundation, {
    running: () => workspaces.workspaces.runningIds(),
    latestChat: (workspaceId) => sessions.records.latestChat(workspaceId),
  });
  const conversations = composeConversations(config, {
    database,
    store,
    controlPlane: client,
    token,
    events,
    tools: resourceHistory,
    log,
  });
  const harnesses = harnessesOf(foundation, workspaces, files);
  const sessions: AgentSessionServices = composeAgentSessions({
    database,
    harnesses,
    conversations: conversations.conversations,
    taskWork: composeTaskWork(foundation, workspaces),
    workspaces: workspaces.workspaces,
    worktreeFolder: (workspace, path) => workspaces.worktrees.folder(workspace, path),
    tabs: storage.tabs,
    events,
    decidePermission,
    interactionReports,
    limits: hostLimits(config),
    rolloverLimits: config.agentSessions.rollover,
    now: Date.now,
    log,
  });
  const snapshots = composeSnapshots(foundation, workspaces, { conversations, sessions });
  const composed = { conversations, sessions, interactionReports, snapshots, resourceHistory };
  return { ...composed, ...lifecycle(foundation, composed) };
}

function harnessesOf(
  { config, engine, storage, controlPlane, log }: Foundation,
  workspaces: WorkspaceServices,
  files: WorkspaceContent['files'],
) {
  const { commands, sources, variables, runtimeFiles, bootLog, containers } = workspaces;
  return composeHarnesses(config, {
    engine,
    kills: containers?.kills ?? null,
    controlPlane: controlPlane.client,
    kept: storage.keptAnswers,
    findWorkspace: (workspaceId) => storage.workspaces.find(workspaceId),
    ...{ commands, files, sources, variables, runtimeFiles, bootLog, log },
  });
}

type Composed = Pick<
  AgentServices,
  'conversations' | 'sessions' | 'interactionReports' | 'snapshots' | 'resourceHistory'
>;

function lifecycle(
  { storage }: Foundation,
  {
    conversations: services,
    sessions: { sessions, records },
    interactionReports,
    snapshots,
    resourceHistory,
  }: Composed,
): Pick<AgentServices, 'start' | 'removeWorkspace'> {
  const { conversations, deliveries, projectHeartbeats } = services;
  return {
    start: async () => {
      records.reconcileOnStart();
      for (const workspace of storage.workspaces.list()) {
        await sessions.reconcile(workspace);
        conversations.reportIdle(records.list(workspace.workspaceId));
      }
      await snapshots.start();
      deliveries.start();
      interactionReports.start();
      projectHeartbeats.start();
      resourceHistory.start();
    },
    removeWorkspace: async (workspaceId) => {
      await deliveries.removeWorkspace(workspaceId);
      records.removeWorkspace(workspaceId);
      snapshots.removeWorkspace(workspaceId);
      await resourceHistory.remove(workspaceId);
    },
  };
}

function composeInteractionReports({ storage, controlPlane, log }: Foundation): InteractionReports {
  return new InteractionReports({
    store: new ReportStore(storage.database),
    controlPlane: controlPlane.client,
    findWorkspace: (workspaceId) => storage.workspaces.find(workspaceId),
    log,
    now: Date.now,
  });
}

function composeTaskWork(
  { storage, controlPlane, log }: Foundation,
  { commands, credentials }: WorkspaceServices,
): GitTaskWork {
  return new GitTaskWork({
    commands,
    workspace: (workspaceId) => storage.workspaces.find(workspaceId),
    gitToken: (workspaceId) => credentials.token(workspaceId),
    report: (...report) => controlPlane.callbacks.taskStatus(...report),
    log,
  });
}

function hostLimits({ agentSessions }: Config): HostLimits {
  const { restarts, ...limits } = agentSessions;
  return {
    ...limits,
    restarts: { ...restarts, pauseMs: 1_000, firstStartTimeoutMs: 15 * 60_000 },
    stopTimeoutMs: 30_000,
    drainMs: 5_000,
  };
}
