import { progressIntervalSeconds } from '../../../protocol/callbacks.js';
import { type Config, statePaths } from '../config/config.js';
import { Files } from '../files/files.js';
import { containerFileRoots, localFileRoots, PlainFiles } from '../files/plain-files.js';
import { RuntimeFiles } from '../files/runtime-files.js';
import { Uploads } from '../files/uploads.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { CredentialServer } from '../git/credential-server.js';
import { GitQueries } from '../git/git-queries.js';
import type { TokenRequest } from '../git/git-tokens.js';
import { Worktrees } from '../git/worktrees.js';
import { readResourceDiagnostics } from '../node/resource-diagnostics.js';
import type { WorkspaceProcesses } from '../ports/workspace-processes.js';
import { OomKills } from '../pressure/oom-kills.js';
import { Sandbox } from '../sandbox/sandbox.js';
import type { Log } from '../shared/log.js';
import { RuntimeFileStore } from '../store/runtime-file-store.js';
import { type OpenPty, withInput } from '../terminals/pty.js';
import { Terminals } from '../terminals/terminals.js';
import { BootLog } from '../workspaces/boot-log.js';
import { ContainerMetrics } from '../workspaces/container/container-metrics.js';
import { ContainerRunner } from '../workspaces/container/container-runner.js';
import { ContainerWatch } from '../workspaces/container/container-watch.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { type PlatformVariables, platformVariables } from '../workspaces/platform-variables.js';
import { Provisioner } from '../workspaces/provisioner.js';
import { Quarantine } from '../workspaces/quarantine.js';
import { reconcileOnStart } from '../workspaces/reconcile-on-start.js';
import type { WorkspaceRunner, WorkspaceRuntime } from '../workspaces/runtime.js';
import { ShellVariables } from '../workspaces/shell-variables.js';
import { StandaloneRunner } from '../workspaces/standalone-runner.js';
import { StandaloneRuntime } from '../workspaces/standalone-runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import { WorkspaceSources } from '../workspaces/workspace-sources.js';
import { WorkspaceUse } from '../workspaces/workspace-use.js';
import { Workspaces } from '../workspaces/workspaces.js';
import type { WorkspaceAgents, WorkspaceEvictions } from '../workspaces/workspaces-deps.js';
import { composeContainerRuntime } from './container-runtime.js';
import type { Foundation } from './foundation.js';

/** Longer than a minute: the control plane may defer a token to the next minute. */
const gitTokenTimeoutMs = 80_000;
/** A shell opens without its variables then. */
const shellWaitMs = 3_000;

/** What observes the containers of this node. */
export interface ContainerObservers {
  readonly watch: ContainerWatch;
  readonly metrics: ContainerMetrics;
  readonly kills: OomKills;
}

export interface WorkspaceServices {
  readonly workspaces: Workspaces;
  readonly provisioner: Provisioner;
  readonly runtime: WorkspaceRuntime;
  readonly runner: WorkspaceRunner;
  /** Null in the standalone role. */
  readonly containers: ContainerObservers | null;
  readonly commands: WorkspaceCommands;
  readonly worktrees: Worktrees;
  readonly terminals: Terminals;
  readonly use: WorkspaceUse;
  readonly shellVariables: ShellVariables;
  readonly runtimeFiles: RuntimeFiles;
  readonly sources: WorkspaceSources;
  readonly variables: PlatformVariables;
  readonly credentials: CredentialServer;
  readonly bootLog: BootLog;
  readonly quarantine: Quarantine;
  readonly reconcileOnStart: () => Promise<void>;
}

export function composeWorkspaces(
  foundation: Foundation,
  { agents, evictions }: { readonly agents: WorkspaceAgents; readonly evictions: WorkspaceEvictions },
): WorkspaceServices {
  const { config, storage, controlPlane, log } = foundation;
  const execution = composeExecution(foundation);
  const { runtime, runner } = execution;
  const commands = new WorkspaceCommands(runner);
  const worktrees = new Worktrees(commands, config.git);
  const bootLog = new BootLog(controlPlane.callbacks, log, controlPlane.bootDiagnostics);
  const provisioner = composeProvisioner(foundation, { runtime, bootLog, agents });
  const runtimeFiles = new RuntimeFiles(commands, new RuntimeFileStore(storage.database), log);
  const shellVariables = new ShellVariables({
    files: runtimeFiles,
    controlPlane: controlPlane.client,
    log,
    timeoutMs: shellWaitMs,
  });
  const use = new WorkspaceUse();
  const running = (workspaceId: string) => workspaces.running(workspaceId);
  const openPty = openMarked({ runtime, worktrees, shellVariables, use, running });
  const terminals = new Terminals(openPty, config.terminals, log, storage.tabs);
  const { workspaces: store, quarantine: quarantined, events } = storage;
  const shared = { store, runtime, provisioner, terminals, agents, evictions, events, log };
  const deps = { ...shared, quarantine: quarantined };
  const workspaces: Workspaces = new Workspaces(deps);
  const quarantine = new Quarantine(config.workspaces.quarantineMs, workspaces, deps);
  terminals.start();
  return {
    ...execution,
    workspaces,
    provisioner,
    commands,
    worktrees,
    terminals,
    use,
    shellVariables,
    runtimeFiles,
    bootLog,
    quarantine,
    reconcileOnStart: () => reconcileOnStart({ workspaces, quarantine }, deps),
  };
}

interface ShellSources extends Pick<WorkspaceServices, 'runtime' | 'worktrees' | 'shellVariables' | 'use'> {
  /** @throws AgentError when the workspace is not running */
  readonly running: (workspaceId: string) => Workspace;
}

/** Opens the shells of terminals, and marks a workspace used at each input. */
function openMarked({ runtime, worktrees, shellVariables, use, running }: ShellSources): OpenPty {
  return async ({ workspaceId, worktree, ...options }) => {
    const workspace = running(workspaceId);
    const workDir = worktree === undefined ? undefined : await worktrees.folder(workspace, worktree);
    const profile = await shellVariables.of(workspace);
    const opened = await runtime.openPty(workspace, { ...options, workDir, variables: profile });
    return { ...opened, pty: withInput(opened.pty, () => use.mark(workspaceId)) };
  };
}

type Execution = Pick<
  WorkspaceServices,
  'runtime' | 'runner' | 'containers' | 'sources' | 'credentials' | 'variables'
>;

/** Containers, or processes in the standalone role. */
function composeExecution(foundation: Foundation): Execution {
  const { config, engine, log } = foundation;
  const { baseDir, cloneFilter, sandbox: sandboxOptions } = config.workspaces;
  const paths = statePaths(config.stateDir);
  const loopbackAlias = engine ? config.workspaces.loopbackAlias : null;
  const sandbox = engine ? new Sandbox({ folder: paths.sandbox, ...sandboxOptions }) : null;
  const credentials = new CredentialServer(gitTokenSource(foundation), log, loopbackAlias);
  const sources = new WorkspaceSources(paths.run, credentials, { sandbox, loopbackAlias });
  const variables = platformVariables({ ...config, loopbackAlias });
  const containers = engine ? containerObservers(config, engine, log) : null;
  const runtime =
    engine && sandbox && containers
      ? composeContainerRuntime(config, { engine, sources, sandbox, variables, observers: containers, log })
      : new StandaloneRuntime({ variables, baseDir, cloneFilter }, sources);
  const runner = engine ? new ContainerRunner(engine) : new StandaloneRunner(baseDir, sources);
  return { runtime, runner, containers, sources, credentials, variables };
}

function containerObservers({ nodeId }: Config, engine: DockerEngine, log: Log): ContainerObservers {
  return {
    watch: new ContainerWatch(nodeId, engine, log),
    metrics: new ContainerMetrics(engine),
    kills: new OomKills({ now: Date.now }),
  };
}

function gitTokenSource({ storage, controlPlane }: Foundation) {
  return (workspaceId: string, question: TokenRequest) => {
    const workspace = storage.workspaces.find(workspaceId);
    if (!workspace) throw new Error(`No workspace ${workspaceId}`);
    return controlPlane.callbacks.gitToken(workspace, question, AbortSignal.timeout(gitTokenTimeoutMs));
  };
}

function composeProvisioner(
  { config, storage, controlPlane, log }: Foundation,
  parts: Pick<WorkspaceServices, 'runtime' | 'bootLog'> & { readonly agents: WorkspaceAgents },
): Provisioner {
  const { buildSlots, provisioningTimeoutMs: timeoutMs } = config.workspaces;
  const { workspaces: store, events } = storage;
  const diagnose = () => readResourceDiagnostics(config.stateDir);
  return new Provisioner(
    { buildSlots, timeoutMs, progressIntervalMs: progressIntervalSeconds * 1_000 },
    { ...parts, store, callbacks: controlPlane.callbacks, events, diagnose, log },
  );
}

/** Files of workspaces, and what git reports about their repositories. */
export interface WorkspaceContent {
  readonly files: Files;
  readonly plainFiles: PlainFiles;
  readonly uploads: Uploads;
  readonly git: GitQueries;
}

export function composeWorkspaceContent(
  { config }: Foundation,
  { commands, runner }: WorkspaceServices,
  processes: WorkspaceProcesses,
): WorkspaceContent {
  const files = new Files(commands, config.files);
  const roots =
    config.role === 'standalone' ? localFileRoots(runner) : containerFileRoots(processes, '/proc');
  return {
    files,
    plainFiles: new PlainFiles(roots),
    uploads: new Uploads(commands, files, config.files.upload),
    git: new GitQueries(commands, config.git),
  };
}
