import { join } from 'node:path';
import { isSea } from 'node:sea';
import type { Config } from '../config/config.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Files } from '../files/files.js';
import type { RuntimeFiles } from '../files/runtime-files.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { AcpTimeouts } from '../harness/acp/acp-connection.js';
import type { AcpHarnessesDeps, StartableKind } from '../harness/acp/acp-harnesses.js';
import { ContainerLauncher } from '../harness/container-launcher.js';
import { Credentials } from '../harness/credentials.js';
import type { Harnesses, HarnessRequest } from '../harness/harness.js';
import { HarnessCallbacks } from '../harness/harness-callbacks.js';
import { harnessKinds } from '../harness/harness-kinds.js';
import type { HarnessLauncher } from '../harness/harness-process.js';
import { harnessMount } from '../harness/harness-store.js';
import { HomeFiles } from '../harness/home-files.js';
import { Installer } from '../harness/installer.js';
import { LocalLauncher } from '../harness/local-launcher.js';
import { UsageProbes } from '../harness/usage-probes.js';
import { UsageReports } from '../harness/usage-reports.js';
import type { OomKills } from '../pressure/oom-kills.js';
import type { Log } from '../shared/log.js';
import type { KeptAnswers } from '../store/kept-answers.js';
import type { BootLog } from '../workspaces/boot-log.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import type { PlatformVariables } from '../workspaces/platform-variables.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { WorkspaceSources } from '../workspaces/workspace-sources.js';

interface HarnessDeps {
  readonly controlPlane: ControlPlane;
  readonly kept: KeptAnswers;
  /** The current workspace with its newest token; null when it is deleted. */
  readonly findWorkspace: (workspaceId: string) => Workspace | null;
  readonly commands: WorkspaceCommands;
  readonly files: Files;
  readonly sources: WorkspaceSources;
  readonly variables: PlatformVariables;
  readonly runtimeFiles: RuntimeFiles;
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly kills: OomKills | null;
  readonly bootLog: Pick<BootLog, 'add'>;
  readonly log: Log;
}

/** Settings of a session are small things. */
const settingsMs = 10_000;

/** Builds all that runs coding agents on this node. */
export function composeHarnesses(config: Config, deps: HarnessDeps): Harnesses {
  const { commands, files, log, engine } = deps;
  const { harness, nodeId } = config;
  const callbacks = new HarnessCallbacks({
    controlPlane: deps.controlPlane,
    kept: deps.kept,
    current: (workspace) => deps.findWorkspace(workspace.workspaceId) ?? workspace,
    timeoutMs: config.identity.callbackTimeoutMs,
    log,
  });
  const usageReports = new UsageReports(nodeId, callbacks, log);
  const shared = join(config.stateDir, 'harnesses');
  const { installTimeoutMs: timeoutMs } = harness;
  return lazyHarnesses({
    kindOf: (request) => startableKind(config, request),
    launcher: launcherOf(config, deps, shared),
    installer: new Installer(commands, {
      timeoutMs,
      prefix: engine ? '/usr/local' : shared,
      isShared: engine === null,
      store: harnessStore(config.workspaces.harnessPath, engine !== null),
      node: engine ? (config.workspaces.nodePath ?? ownNode()) : null,
    }),
    credentials: new Credentials(
      { syncTimeoutMs: harness.credentialSyncTimeoutMs },
      { callbacks, files: new HomeFiles(commands), log },
    ),
    callbacks,
    usage: new UsageProbes(harness.usage, { reports: usageReports, commands, log }),
    usageReports,
    commands,
    files,
    backgroundWork: config.harness.backgroundWork,
    timeouts: timeoutsOf(harness),
    stopGraceMs: harness.stopGraceMs,
    bootLog: deps.bootLog,
    platform: deps.variables,
    runtimeFiles: deps.runtimeFiles,
    loopbackAlias: engine ? config.workspaces.loopbackAlias : null,
    log,
  });
}

function harnessStore(path: string | null, isMounted: boolean): string | null {
  if (path === null) return null;
  return isMounted ? harnessMount : path;
}

/** An agent that is one executable has no Node that others could use. */
function ownNode(): string | null {
  return isSea() ? null : process.execPath;
}

/** Loads ACP and its schemas (4 MB) only when the first agent session needs them. */
function lazyHarnesses(deps: AcpHarnessesDeps): Harnesses {
  let loaded: Promise<Harnesses> | null = null;
  const load = async () => {
    const { AcpHarnesses } = await import('../harness/acp/acp-harnesses.js');
    return new AcpHarnesses(deps);
  };
  return {
    async start(...call) {
      loaded ??= load();
      return (await loaded).start(...call);
    },
  };
}

function launcherOf(
  config: Config,
  { engine, kills, sources }: HarnessDeps,
  shared: string,
): HarnessLauncher {
  const { stderrBytes } = config.harness;
  if (engine) return new ContainerLauncher(engine, { stderrBytes, kills });
  const { baseDir } = config.workspaces;
  return new LocalLauncher({ baseDir, stderrBytes, binFolders: [join(shared, 'bin')] }, sources);
}

function startableKind({ harness }: Config, { agentType }: HarnessRequest): StartableKind {
  const kind = harnessKinds[agentType];
  const [file, ...args] = harness.commands[agentType] ?? [];
  return file === undefined
    ? { ...kind, isInstalled: false }
    : { ...kind, command: [file, ...args], isInstalled: true };
}

function timeoutsOf({ initialize, serializeTimeoutMs }: Config['harness']): AcpTimeouts {
  const { timeoutMs, initializeMs, newSessionMs, loadSessionMs } = initialize;
  return {
    initializeMs: initializeMs || timeoutMs,
    newSessionMs: newSessionMs || timeoutMs,
    loadSessionMs: loadSessionMs || timeoutMs,
    settingsMs,
    serializeMs: serializeTimeoutMs,
  };
}
