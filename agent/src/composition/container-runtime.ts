import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { type Config, statePaths } from '../config/config.js';
import { diskSpace } from '../node/node-metrics.js';
import { readResourceDiagnostics } from '../node/resource-diagnostics.js';
import { requestsTo } from '../sandbox/engine/engine-address.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Log } from '../shared/log.js';
import { ContainerLifecycle } from '../workspaces/container/container-lifecycle.js';
import { ContainerProvisioner } from '../workspaces/container/container-provisioner.js';
import { ContainerRuntime, type ContainerRuntimeDeps } from '../workspaces/container/container-runtime.js';
import { ContainerShells } from '../workspaces/container/container-shells.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { ServiceContainers } from '../workspaces/container/service-containers.js';
import { WorkspaceNetworks } from '../workspaces/container/workspace-networks.js';
import { BuildArtifacts } from '../workspaces/devcontainer/build-artifacts.js';
import { BuildCache } from '../workspaces/devcontainer/build-cache.js';
import { BuildKitNode } from '../workspaces/devcontainer/buildkit-node.js';
import { DevcontainerBuilds } from '../workspaces/devcontainer/devcontainer-builds.js';
import { DevcontainerCli } from '../workspaces/devcontainer/devcontainer-cli.js';
import type { PlatformVariables } from '../workspaces/platform-variables.js';
import type { WorkspaceSources } from '../workspaces/workspace-sources.js';

interface ContainerDeps {
  readonly engine: DockerEngine;
  readonly sources: WorkspaceSources;
  readonly sandbox: Sandbox;
  readonly variables: PlatformVariables;
  readonly observers: Pick<ContainerRuntimeDeps, 'watch' | 'metrics'>;
  readonly log: Log;
}

/** Runs workspaces as containers. */
export function composeContainerRuntime(
  config: Config,
  { engine, sources, sandbox, variables, observers, log }: ContainerDeps,
): ContainerRuntime {
  const { nodeId } = config;
  const { harnessPath, defaultImage, network, subnets, devcontainer } = config.workspaces;
  const { clones: clonesDir, builds: buildsDir } = statePaths(config.stateDir);
  const shells = new ContainerShells(engine, (error) => log.warn('Container shell failed', { error }));
  const networks = new WorkspaceNetworks({ nodeId, network, subnets }, engine.docker);
  const lifecycle = new ContainerLifecycle(
    { nodeId, variables, harnessPath },
    { engine, networks, sources, services: new ServiceContainers(engine) },
  );
  const diagnose = () => readResourceDiagnostics(config.stateDir);
  const cli = new DevcontainerCli(
    { ...devcontainer, cliPath: devcontainer.cliPath ?? bundledCli() },
    { sandbox, requestEngine: () => requestsTo(engine.docker), diagnose, log },
  );
  const artifacts = new BuildArtifacts(buildsDir, engine);
  const builds = new DevcontainerBuilds(
    { nodeId, allowedHosts: devcontainer.allowedHosts },
    {
      cli,
      engine,
      artifacts,
      buildKit: new BuildKitNode(devcontainer.buildKit, { engine, sandbox }),
      freeDiskBytes: async () => (await diskSpace(config.stateDir)).availableBytes,
    },
  );
  const cache = new BuildCache(engine.images, devcontainer.cachePushTimeoutMs);
  const provisioner = new ContainerProvisioner(
    { defaultImage },
    { engine, lifecycle, builds, artifacts, cache },
  );
  return new ContainerRuntime(
    { nodeId, clonesDir },
    { engine, shells, sources, networks, artifacts, cache, lifecycle, provisioner, ...observers },
  );
}

/** The CLI is installed beside the agent's own program. */
function bundledCli(): string {
  const program = isSea() ? process.execPath : (process.argv[1] ?? '');
  return join(dirname(program), 'devcontainer-cli', 'devcontainer.js');
}
