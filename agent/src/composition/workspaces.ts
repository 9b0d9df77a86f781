import { progressIntervalSeconds } from '../../../protocol/callbacks.js';
import { type Config, statePaths } from '../config/config.js';
import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { CredentialServer } from '../git/credential-server.js';
import type { TokenQuestion } from '../git/git-tokens.js';
import { Worktrees } from '../git-views/worktrees.js';
import type { BootDiagnostics } from '../node/boot-diagnostics.js';
import { Sandbox } from '../sandbox/sandbox.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { TabStore } from '../store/tab-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import { Terminals } from '../terminals/terminals.js';
import { BootLog } from '../workspaces/boot-log.js';
import { ContainerRunner } from '../workspaces/container/container-runner.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { Provisioner } from '../workspaces/provisioner.js';
import type { WorkspaceRuntime } from '../workspaces/runtime.js';
import { StandaloneRunner } from '../workspaces/standalone/standalone-runner.js';
import { StandaloneRuntime } from '../workspaces/standalone/standalone-runtime.js';
import { WorkspaceSources } from '../workspaces/workspace-sources.js';
import { type WorkspaceAgents, Workspaces } from '../workspaces/workspaces.js';
import { composeContainerRuntime } from './container-runtime.js';

/** Long enough for a question that the control plane puts off to the next minute. */
const gitTokenTimeoutMs = 80_000;

interface WorkspaceNeeds {
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly store: WorkspaceStore;
  readonly tabs: TabStore;
  readonly events: EventStore;
  readonly callbacks: WorkspaceCallbacks;
  readonly agents: WorkspaceAgents;
  readonly bootDiagnostics: BootDiagnostics;
  readonly log: Log;
}

/** Workspaces and what makes them, as the role of this node wants it. */
export function composeWorkspaces(config: Config, needs: WorkspaceNeeds) {
  const { engine, store, tabs, events, callbacks, agents, bootDiagnostics, log } = needs;
  const loopbackAlias = engine ? config.workspaces.loopbackAlias : null;
  const gitToken = (workspaceId: string, question: TokenQuestion) => {
    const workspace = store.find(workspaceId);
    if (!workspace) throw new Error(`No workspace ${workspaceId}`);
    return callbacks.gitToken(workspace, question, AbortSignal.timeout(gitTokenTimeoutMs));
  };
  const credentials = new CredentialServer(gitToken, log, loopbackAlias);
  const paths = statePaths(config.stateDir);
  const sandbox = engine ? new Sandbox({ folder: paths.sandbox, ...config.workspaces.sandbox }) : null;
  const sources = new WorkspaceSources(paths.run, credentials, { sandbox, loopbackAlias });
  const runtime = composeRuntime(config, { engine, sources, sandbox, log });
  const runner = engine
    ? new ContainerRunner(engine)
    : new StandaloneRunner(config.workspaces.baseDir, sources);
  const bootLog = new BootLog(callbacks, log, bootDiagnostics);
  const { buildSlots, provisioningTimeoutMs: timeoutMs } = config.workspaces;
  const provisioner = new Provisioner(
    { buildSlots, timeoutMs, progressIntervalMs: progressIntervalSeconds * 1_000 },
    { runtime, store, bootLog, callbacks, events, log },
  );
  const worktrees = new Worktrees(new WorkspaceCommands(runner), config.git);
  const terminals = new Terminals(
    async ({ workspaceId, worktree, ...options }) => {
      const workspace = workspaces.running(workspaceId);
      const workDir = worktree === undefined ? undefined : await worktrees.folder(workspace, worktree);
      return runtime.openPty(workspace, { ...options, workDir });
    },
    config.terminals,
    log,
    tabs,
  );
  const workspaces: Workspaces = new Workspaces({
    store,
    runtime,
    provisioner,
    terminals,
    agents,
    events,
    log,
  });
  terminals.start();
  return { credentials, sources, runtime, runner, bootLog, provisioner, terminals, agents, workspaces };
}

interface RuntimeNeeds {
  readonly engine: DockerEngine | null;
  readonly sources: WorkspaceSources;
  /** Null in the standalone role. */
  readonly sandbox: Sandbox | null;
  readonly log: Log;
}

function composeRuntime(config: Config, { engine, sources, sandbox, log }: RuntimeNeeds): WorkspaceRuntime {
  const { nodeId } = config;
  const { baseDir, cloneFilter } = config.workspaces;
  if (!engine || !sandbox) return new StandaloneRuntime({ nodeId, baseDir, cloneFilter }, sources);
  return composeContainerRuntime(config, { engine, sources, sandbox, log });
}
