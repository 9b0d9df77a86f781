import type { BuildPlace } from '../../sandbox/engine/build-query.js';
import type { ContainerLimits } from '../container/container-settings.js';
import type { DockerEngine } from '../container/docker-engine.js';
import { openBuildCgroup } from './build-cgroup.js';
import { closeBridge } from './build-firewall.js';
import { BuildNetwork } from './build-network.js';

interface BuildPlaceOptions {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: ContainerLimits;
}

/** Network and limits for the containers of one build: those of the workspace's own container. */
export async function openBuildPlace(
  engine: DockerEngine,
  { workspaceId, labels, limits }: BuildPlaceOptions,
): Promise<BuildPlace & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const network = opened.use(await BuildNetwork.create(engine.docker, { workspaceId, labels }));
  opened.use(await closeBridge(network.bridge));
  const info = await engine.docker.info();
  const cgroup = opened.use(await openBuildCgroup(workspaceId, info, limits));
  const kept = opened.move();
  return {
    network: network.name,
    cgroupParent: cgroup.parent,
    limitedPath: cgroup.limitedPath,
    limits,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
