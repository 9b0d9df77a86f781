import { once } from 'node:events';
import { hostname, totalmem } from 'node:os';
import * as z from 'zod/mini';
import { spawn } from '../../node/process-priority.js';
import type { BuildKit } from '../../sandbox/buildkit/buildkit-build.js';
import { openBuildx } from '../../sandbox/buildkit/buildx.js';
import type { BuildPlace } from '../../sandbox/engine/build-query.js';
import { socketOf } from '../../sandbox/engine/engine-address.js';
import { findProgram } from '../../sandbox/layout.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { KeyLock } from '../../shared/key-lock.js';
import type { DockerEngine } from '../container/docker-engine.js';
import { closeBridge } from './build-firewall.js';
import { hasLimitedBuildKit, pruneBuildCache } from './buildkit-cache.js';
import { buildMarker, type CliRun } from './devcontainer-cli.js';

interface BuildKitNodeOptions {
  readonly isAllowed: boolean;
  /** The plug-in of the docker command; null: the one that the docker command finds. */
  readonly buildxPath: string | null;
}

/** Steps of BuildKit are on the engine's default network. */
const defaultNetwork = 'bridge';
const Network = z.object({
  Containers: z.nullish(z.record(z.string(), z.unknown())),
  Options: z.nullish(z.record(z.string(), z.string())),
});

/** BuildKit of this machine's engine, for Dockerfiles that need it. */
export class BuildKitNode {
  private readonly lock = new KeyLock();

  constructor(
    private readonly options: BuildKitNodeOptions,
    private readonly deps: { readonly engine: DockerEngine; readonly sandbox: Sandbox },
  ) {}

  /** Why this machine cannot limit and check a build with BuildKit; null: it can. */
  async obstacle(place: BuildPlace | null): Promise<string | null> {
    if (!this.options.isAllowed) return 'DEVCONTAINER_BUILDKIT is false';
    if (!place?.limitedPath) return 'the agent cannot limit memory, processors and processes of its steps';
    const { docker } = this.deps.engine;
    const [info, socket] = [await docker.info(), await socketOf(docker)];
    if (socket === null || info.Name !== hostname() || info.MemTotal !== totalmem())
      return 'the engine is on another machine';
    if (!(await hasLimitedBuildKit(docker))) return 'the engine is older than version 26.1';
    if (!(await this.hasBuildx())) return 'docker buildx is missing';
    // The engine lists the steps of a build as containers.
    const { containers } = await this.lock.run(defaultNetwork, () => this.network());
    return containers > 0 ? `a container is on the network ${defaultNetwork}, which its steps use` : null;
  }

  /**
   * Builds with BuildKit, one build at a time: their steps share a network, and could change each
   * other's packets there. They reach no address of this machine while they build.
   */
  async use(
    { workspaceId, place }: Pick<CliRun, 'workspaceId' | 'place'>,
    work: (buildKit: BuildKit) => Promise<void>,
  ): Promise<void> {
    const { engine, sandbox } = this.deps;
    const [socket, cgroupPath] = [await socketOf(engine.docker), place?.limitedPath];
    if (socket === null || !cgroupPath) throw new Error('BuildKit needs a local engine and a control group');
    const marker = { [buildMarker]: workspaceId };
    const start = await openBuildx({ sandbox, command: await this.command(), socket, marker });
    await this.lock.run(defaultNetwork, async () => {
      await using _closed = await closeBridge((await this.network()).bridge);
      try {
        await work({ start, cgroupPath });
      } finally {
        await pruneBuildCache(engine.docker);
      }
    });
  }

  private async network() {
    const { Containers, Options } = Network.parse(
      await this.deps.engine.docker.getNetwork(defaultNetwork).inspect(),
    );
    return {
      containers: Object.keys(Containers ?? {}).length,
      bridge: Options?.['com.docker.network.bridge.name'] ?? 'docker0',
    };
  }

  private async command(): Promise<readonly [string, ...string[]]> {
    const { buildxPath } = this.options;
    return buildxPath === null ? [(await findProgram('docker')) ?? 'docker', 'buildx'] : [buildxPath];
  }

  private async hasBuildx(): Promise<boolean> {
    const [program, ...args] = await this.command();
    const child = spawn(program, [...args, 'version'], { stdio: 'ignore' });
    return once(child, 'close').then(
      ([code]) => code === 0,
      () => false,
    );
  }
}
