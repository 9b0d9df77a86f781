import { readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { AgentError } from '../errors.js';
import { dialAddresses } from './dial-addresses.js';
import { dialFirst } from './dial-first.js';
import { type ListeningSocket, readListeningSockets } from './listening-sockets.js';
import type { NetworkDialers } from './network-dialers.js';
import { SocketOwners } from './socket-owners.js';
import type { WorkspaceProcesses } from './workspace-processes.js';

export interface WorkspaceSocketParts {
  readonly procFolder: string;
  readonly processes: WorkspaceProcesses;
  readonly dialers: Pick<NetworkDialers, 'dial'>;
}

/** Where a workspace's sockets are: in a network of its own, or among those of the machine. */
interface Network {
  readonly pid: number;
  /** The kernel's name of it. */
  readonly name: string;
  readonly isShared: boolean;
}

interface Sockets {
  readonly own: readonly ListeningSocket[];
  readonly others: readonly ListeningSocket[];
}

/**
 * What workspaces listen on, read from the kernel. In a network of its own everything is the workspace's; in the
 * machine's network only what one of its processes holds.
 */
export class WorkspaceSockets {
  private readonly owners: SocketOwners;

  constructor(private readonly parts: WorkspaceSocketParts) {
    this.owners = new SocketOwners(parts.procFolder);
  }

  /** Listening sockets of each workspace that runs, in one pass. @throws where this machine cannot tell */
  async listening(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, readonly ListeningSocket[]>> {
    const found = new Map<string, readonly ListeningSocket[]>();
    const shared: string[] = [];
    for (const workspaceId of workspaceIds) {
      const network = await this.networkOf(workspaceId);
      if (network?.isShared) shared.push(workspaceId);
      else if (network) found.set(workspaceId, await this.socketsOf(network.pid));
    }
    if (shared.length === 0) return found;
    const sockets = await this.socketsOf('self');
    const owners = await this.ownersOf(sockets, shared, false);
    for (const workspaceId of shared) {
      found.set(
        workspaceId,
        sockets.filter(({ inode }) => owners.get(inode) === workspaceId),
      );
    }
    return found;
  }

  /**
   * A connection to a port of the workspace; to no other, whoever listens there.
   * @throws AgentError bad_gateway when nothing of the workspace listens there, timed_out
   */
  async dial(workspaceId: string, port: number, timeoutMs: number): Promise<Socket> {
    const network = await this.networkOf(workspaceId);
    if (!network) throw new AgentError('unavailable', 'The workspace has no network yet');
    const { own, others } = await this.onPort(workspaceId, network, port);
    const addresses = dialAddresses(own, others);
    if (addresses.length === 0)
      throw new AgentError('bad_gateway', `Nothing in the workspace listens on port ${port}`);
    if (network.isShared) return dialFirst({ addresses, port, timeoutMs });
    return this.parts.dialers.dial(network, { addresses, port, timeoutMs });
  }

  private async onPort(workspaceId: string, network: Network, port: number): Promise<Sockets> {
    const isOnPort = (socket: ListeningSocket) => socket.port === port;
    if (!network.isShared) return { own: (await this.socketsOf(network.pid)).filter(isOnPort), others: [] };
    const sockets = await this.socketsOf('self');
    const onPort = sockets.filter(isOnPort);
    const isOwn = async (mustLook: boolean) => {
      const owners = await this.ownersOf(sockets, [workspaceId], mustLook);
      return ({ inode }: ListeningSocket) => owners.get(inode) === workspaceId;
    };
    const known = await isOwn(false);
    const proof = onPort.some(known) || onPort.length === 0 ? known : await isOwn(true);
    return { own: onPort.filter(proof), others: onPort.filter((socket) => !proof(socket)) };
  }

  private ownersOf(sockets: readonly ListeningSocket[], workspaceIds: readonly string[], mustLook: boolean) {
    const inodes = sockets.map(({ inode }) => inode);
    return this.owners.resolve(inodes, () => this.parts.processes.all(workspaceIds), { mustLook });
  }

  private async networkOf(workspaceId: string): Promise<Network | null> {
    const own = await this.networkName('self');
    const pid = await this.parts.processes.leader(workspaceId);
    const name = pid === null ? null : await this.networkName(pid).catch(nullWhenGone);
    return pid === null || name === null ? null : { pid, name, isShared: name === own };
  }

  private async socketsOf(pid: number | 'self'): Promise<ListeningSocket[]> {
    const sockets = await readListeningSockets(join(this.parts.procFolder, String(pid))).catch(nullWhenGone);
    return sockets ?? [];
  }

  private networkName(pid: number | 'self'): Promise<string> {
    return readlink(join(this.parts.procFolder, String(pid), 'ns', 'net'));
  }
}

/** A process may end while it is looked at; anything else is no such matter. */
function nullWhenGone(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  // ESRCH and EINVAL: the process is there in name only.
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL') return null;
  throw error;
}
