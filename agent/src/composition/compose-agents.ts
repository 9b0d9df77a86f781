import type { DatabaseSync } from 'node:sqlite';
import type { HostLimits } from '../agent-sessions/host-limits.js';
import type { Config } from '../config/config.js';
import { statePaths } from '../config/config.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { NodeToken } from '../control-plane/node-token.js';
import { Files } from '../files/files.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { Worktrees } from '../git-views/worktrees.js';
import { decidePermission } from '../harness/acp/permission-policy.js';
import type { Log } from '../shared/log.js';
import { Hibernation } from '../snapshots/hibernation.js';
import { RestoreStore } from '../snapshots/restore-store.js';
import { SessionSnapshots } from '../snapshots/session-snapshots.js';
import type { EventStore } from '../store/event-store.js';
import type { TabStore } from '../store/tab-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { BootLog } from '../workspaces/boot-log.js';
import type { WorkspaceRunner } from '../workspaces/command.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import type { WorkspaceSources } from '../workspaces/workspace-sources.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { composeAgentSessions } from './agent-sessions.js';
import { composeConversations } from './conversations.js';
import { composeHarnesses } from './harnesses.js';

interface AgentNeeds {
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly database: DatabaseSync;
  readonly store: WorkspaceStore;
  readonly workspaces: Workspaces;
  readonly runner: WorkspaceRunner;
  readonly sources: WorkspaceSources;
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly tabs: TabStore;
  readonly events: EventStore;
  readonly bootLog: BootLog;
  readonly log: Log;
}

/** Coding agents: their harnesses, what they say, and the sessions that hold both. */
export function composeAgents(config: Config, deps: AgentNeeds) {
  const told = composeConversations(config, deps);
  const commands = new WorkspaceCommands(deps.runner);
  const worktrees = new Worktrees(commands, config.git);
  const harnesses = composeHarnesses(config, {
    ...deps,
    findWorkspace: (workspaceId) => deps.store.find(workspaceId),
    commands,
    files: new Files(commands, config.files),
  });
  const { rollover: rolloverLimits } = config.agentSessions;
  const hosted = composeAgentSessions({
    ...deps,
    conversations: told.conversations,
    harnesses,
    decidePermission: async ({ settings }, request) => decidePermission(request, settings.permissionMode),
    worktreeFolder: (workspace, path) => worktrees.folder(workspace, path),
    limits: hostLimits(config),
    rolloverLimits,
    now: Date.now,
  });
  const { outbox, deliveries, projectHeartbeats } = told;
  const folder = statePaths(config.stateDir).snapshots;
  const snapshots = new SessionSnapshots(commands, { folder, ...config.snapshots }, deps.log);
  const restores = new RestoreStore(deps.database);
  const hibernation = new Hibernation({ ...deps, ...hosted, snapshots, restores, messages: outbox });
  return {
    ...told,
    ...hosted,
    hibernation,
    rolloverLimits,
    /** At start, before anybody is served. */
    start: async () => {
      hosted.records.reconcileOnStart();
      for (const { workspaceId } of deps.store.list())
        told.conversations.tellOfRest(hosted.records.list(workspaceId));
      await snapshots.start();
      deliveries.start();
      projectHeartbeats.start();
    },
    removeWorkspace: async (workspaceId: string) => {
      await deliveries.removeWorkspace(workspaceId);
      hosted.records.removeWorkspace(workspaceId);
      restores.removeWorkspace(workspaceId);
    },
    /** In the order in which they end. */
    ending: [
      ['project heartbeats', () => projectHeartbeats[Symbol.asyncDispose]()],
      ['agent sessions', () => hosted.sessions[Symbol.asyncDispose]()],
      ['conversations', () => told.conversations[Symbol.asyncDispose]()],
      ['messages', () => deliveries[Symbol.asyncDispose]()],
    ] as const,
  };
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
