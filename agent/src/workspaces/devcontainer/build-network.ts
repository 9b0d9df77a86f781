import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { ignoringStatus } from '../container/docker-errors.js';

/** The node's firewall matches bridges of builds by this prefix. */
const bridgePrefix = 'bd-';
const gone = [404];

/** A network for one build of a workspace: no other container is in it. */
export class BuildNetwork implements AsyncDisposable {
  private constructor(
    private readonly docker: Docker,
    readonly name: string,
    readonly bridge: string,
  ) {}

  /** Replaces the network of a build that was killed. The engine chooses the subnet. */
  static async create(
    docker: Docker,
    {
      workspaceId,
      labels,
    }: { readonly workspaceId: string; readonly labels: Readonly<Record<string, string>> },
  ): Promise<BuildNetwork> {
    const hash = createHash('sha256').update(workspaceId).digest('hex');
    const bridge = `${bridgePrefix}${hash.slice(0, 12)}`;
    const network = new BuildNetwork(docker, `svc-build-${workspaceId.toLowerCase()}`, bridge);
    await network[Symbol.asyncDispose]();
    await docker.createNetwork({
      Name: network.name,
      CheckDuplicate: true,
      Driver: 'bridge',
      Options: {
        'com.docker.network.bridge.name': bridge,
        'com.docker.network.bridge.enable_icc': 'false',
      },
      Labels: { ...labels },
    });
    return network;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const network = this.docker.getNetwork(this.name);
    const existing = await ignoringStatus(gone, network.inspect());
    // Containers of a build that was killed.
    for (const container of Object.keys(existing?.Containers ?? {}))
      await ignoringStatus(gone, this.docker.getContainer(container).remove({ force: true }));
    if (existing) await ignoringStatus(gone, network.remove());
  }
}
