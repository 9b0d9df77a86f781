import { createHash } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type Docker from 'dockerode';
import { DockerError, ignoringStatus } from './docker-errors.js';
import { dockerName, labels, labelsOf } from './docker-names.js';

interface NetworkOptions {
  readonly nodeId: string;
  /** `own`, or the name of a network that all workspaces share. */
  readonly network: string;
  /** Range for networks: the engine's own ranges are exhausted after about thirty networks. */
  readonly subnets: Subnets;
}

/** The node's firewall matches bridges of workspaces by this prefix. */
const bridgePrefix = 'ws-';
const gone = [404];

/** The container networks: one per workspace, with no other container in it. */
export class WorkspaceNetworks {
  constructor(
    private readonly options: NetworkOptions,
    private readonly docker: Docker,
  ) {}

  /** Returns the name of the workspace's network; creates it when missing. @throws DockerError */
  async ensure(workspace: { readonly workspaceId: string; readonly generation: number }): Promise<string> {
    const { network, subnets } = this.options;
    if (network !== 'own') return network;
    const name = dockerName(workspace.workspaceId);
    if (await ignoringStatus(gone, this.docker.getNetwork(name).inspect())) return name;
    const hash = createHash('sha256').update(workspace.workspaceId).digest();
    for (const subnet of subnetsFrom(subnets, hash.readUInt32BE(0)))
      if (await this.create(workspace, { subnet, bridge: `${bridgePrefix}${hash.toString('hex', 4, 10)}` }))
        return name;
    throw new DockerError('No free subnet for another workspace on this node. Extend WORKSPACE_SUBNETS');
  }

  /** Removes the networks of the workspace. Call it after its containers are removed. */
  async remove(workspaceId: string): Promise<void> {
    const filters = { label: [`${labels.workspace}=${workspaceId}`] };
    for (const { Id } of await this.docker.listNetworks({ filters })) await this.removeOne(Id);
  }

  private async removeOne(id: string): Promise<void> {
    const network = this.docker.getNetwork(id);
    const existing = await ignoringStatus(gone, network.inspect());
    // An engine that was killed may still list containers that are gone.
    for (const container of Object.keys(existing?.Containers ?? {}))
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

/** A range of IPv4 addresses, as numbers. */
export interface Subnets {
  readonly first: number;
  readonly size: number;
}

/** Six usable addresses: the gateway, the container, and four spare. */
const subnetPrefix = 29;
const subnetSize = 2 ** (32 - subnetPrefix);

/** Undefined unless the text is a range such as 10.213.0.0/16, from /8 to /24. */
export function parseSubnets(text: string): Subnets | undefined {
  const range = parseRange(text);
  if (!range || range.size < 2 ** 8 || range.size > 2 ** 24) return undefined;
  return range;
}

/**
 * Subnets of the range in an order that depends on `seed`, without those that contain an address of
 * this machine.
 */
export function* subnetsFrom(subnets: Subnets, seed: number): Generator<string> {
  const count = subnets.size / subnetSize;
  const taken = ownRanges();
  for (let step = 0; step < count; step += 1) {
    const first = subnets.first + ((seed + step) % count) * subnetSize;
    if (!taken.some((range) => overlaps(range, { first, size: subnetSize })))
      yield `${addressText(first)}/${subnetPrefix}`;
  }
}

function ownRanges(): Subnets[] {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? (parseRange(cidr) ?? []) : []));
}

function parseRange(text: string): Subnets | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const [bytes, prefix] = [match?.slice(1, 5).map(Number) ?? [], Number(match?.[5])];
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255) || !(prefix <= 32)) return undefined;
  const size = 2 ** (32 - prefix);
  const address = bytes.reduce((number, byte) => number * 256 + byte, 0);
  return { first: address - (address % size), size };
}

function overlaps(one: Subnets, other: Subnets): boolean {
  return one.first < other.first + other.size && other.first < one.first + one.size;
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
