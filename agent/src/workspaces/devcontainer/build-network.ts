import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { retry } from '../../shared/retry.js';
import { ignoringStatus } from '../container/docker-errors.js';

/** The node's firewall matches bridges of builds by this prefix. */
const bridgePrefix = 'bd-';
const gone = [404];
/** The most that the removal of a network may take. */
const standardEndMs = 15_000;
const untilEnded = { attempts: 20, firstDelayMs: 50, maxDelayMs: 1_000, isTransient: () => true };

interface BuildNetworkOptions {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly endMs?: number;
}

/** A network for one build of a workspace: no other container is in it. */
export class BuildNetwork implements AsyncDisposable {
  readonly name: string;
  readonly bridge: string;

  private constructor(
    private readonly docker: Docker,
    workspaceId: string,
    private readonly endMs: number,
  ) {
    this.name = `svc-build-${workspaceId.toLowerCase()}`;
    const hash = createHash('sha256').update(workspaceId).digest('hex');
    this.bridge = `${bridgePrefix}${hash.slice(0, 12)}`;
  }

  /** Replaces the network of a build that was killed. The engine chooses the subnet. */
  static async create(
    docker: Docker,
    { workspaceId, labels, endMs = standardEndMs }: BuildNetworkOptions,
  ): Promise<BuildNetwork> {
    const network = new BuildNetwork(docker, workspaceId, endMs);
    await network.remove();
    await docker.createNetwork({
      Name: network.name,
      CheckDuplicate: true,
      Driver: 'bridge',
      Options: {
        'com.docker.network.bridge.name': network.bridge,
        'com.docker.network.bridge.enable_icc': 'false',
      },
      Labels: { ...labels },
    });
    return network;
  }

  /** A network that stays is replaced by the next build, and must not hide why this one failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove().catch(() => undefined);
  }

  /** The step of a build that was just ended may still start its container. */
  private async remove(): Promise<void> {
    await retry(() => this.removeOnce(), { ...untilEnded, signal: AbortSignal.timeout(this.endMs) });
  }

  private async removeOnce(): Promise<void> {
    const network = this.docker.getNetwork(this.name);
    const existing = await ignoringStatus(gone, network.inspect());
    // Containers of a build that was killed.
    for (const container of Object.keys(existing?.Containers ?? {}))
      await ignoringStatus(gone, this.docker.getContainer(container).remove({ force: true }));
    if (existing) await ignoringStatus(gone, network.remove());
  }
}
