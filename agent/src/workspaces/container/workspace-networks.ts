import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { DockerFailed } from './docker-failed.js';
import { dockerName, labels, labelsOf } from './docker-names.js';
import { ignoringStatus } from './ignoring-status.js';
import { type Subnets, subnetsFrom } from './subnets.js';

export interface NetworkOptions {
  readonly nodeId: string;
  /** `own`, or the name of a network that all workspaces share. */
  readonly network: string;
  /** Networks are taken from here: the engine's own ranges are used up by some thirty networks. */
  readonly subnets: Subnets;
}

/** The node's firewall knows bridges of workspaces by this beginning. */
const bridgePrefix = 'ws-';
const gone = [404];

/** The networks that containers are in: one for each workspace, which holds nothing but its container. */
export class WorkspaceNetworks {
  constructor(
    private readonly options: NetworkOptions,
    private readonly docker: Docker,
  ) {}

  /** Name of the network of the workspace, which is made if it is missing. @throws DockerFailed */
  async ensure(workspace: { readonly workspaceId: string; readonly generation: number }): Promise<string> {
    const { network, subnets } = this.options;
    if (network !== 'own') return network;
    const name = dockerName(workspace.workspaceId);
    if (await ignoringStatus(gone, this.docker.getNetwork(name).inspect())) return name;
    const hash = createHash('sha256').update(workspace.workspaceId).digest();
    for (const subnet of subnetsFrom(subnets, hash.readUInt32BE(0)))
      if (await this.create(workspace, { subnet, bridge: `${bridgePrefix}${hash.toString('hex', 4, 10)}` }))
        return name;
    throw new DockerFailed('No subnet for another network is left on this node (WORKSPACE_SUBNETS)');
  }

  /** Removes the networks of the workspace. Call it after its containers are removed. */
  async remove(workspaceId: string): Promise<void> {
    const filters = { label: [`${labels.workspace}=${workspaceId}`] };
    for (const { Id } of await this.docker.listNetworks({ filters })) await this.removeOne(Id);
  }

  private async removeOne(id: string): Promise<void> {
    const network = this.docker.getNetwork(id);
    const there = await ignoringStatus(gone, network.inspect());
    // An engine that was killed may still count containers that are gone.
    for (const container of Object.keys(there?.Containers ?? {}))
      await ignoringStatus(gone, network.disconnect({ Container: container, Force: true }));
    await ignoringStatus(gone, network.remove());
  }

  /** False when another network has the subnet. */
  private async create(
    { workspaceId, generation }: { readonly workspaceId: string; readonly generation: number },
    { subnet, bridge }: { readonly subnet: string; readonly bridge: string },
  ): Promise<boolean> {
    try {
      await this.docker.createNetwork({
        Name: dockerName(workspaceId),
        CheckDuplicate: true,
        Driver: 'bridge',
        IPAM: { Config: [{ Subnet: subnet }] },
        Options: {
          'com.docker.network.bridge.name': bridge,
          'com.docker.network.bridge.enable_icc': 'false',
        },
        Labels: labelsOf({ workspaceId, nodeId: this.options.nodeId, generation }),
      });
      return true;
    } catch (error) {
      if (error instanceof Error && /overlaps/i.test(error.message)) return false;
      throw error;
    }
  }
}
