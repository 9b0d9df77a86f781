import { readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { AgentError } from '../errors.js';
import { dialAddresses, dialFirst } from './dial.js';
import { type ListeningSocket, readListeningSockets } from './listening-sockets.js';
import type { NetworkDialers } from './network-dialers.js';
import { SocketOwners } from './socket-owners.js';
import type { WorkspaceProcesses } from './workspace-processes.js';

export interface WorkspaceSocketDeps {
  readonly procFolder: string;
  readonly processes: WorkspaceProcesses;
  readonly dialers: Pick<NetworkDialers, 'dial'>;
}

/** A workspace's network: its own, or the machine's. */
interface Network {
  readonly pid: number;
  /** The kernel's name of the network. */
  readonly name: string;
  readonly isShared: boolean;
}

interface Sockets {
  readonly own: readonly ListeningSocket[];
  readonly others: readonly ListeningSocket[];
}

/**
 * Listening sockets of workspaces, read from the kernel. In its own network every socket is the
 * workspace's; in the machine's network only those that its processes hold.
 */
export class WorkspaceSockets {
  private readonly owners: SocketOwners;

  constructor(private readonly deps: WorkspaceSocketDeps) {
    this.owners = new SocketOwners(deps.procFolder);
  }

  /**
   * Listening sockets of each running workspace, in one pass. @throws where this machine cannot
   * report
   */
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
   * Connects to a port of the workspace, never to another listener on that port.
   * @throws AgentError bad_gateway when nothing of the workspace listens there, timed_out
   */
  async dial(workspaceId: string, port: number, timeoutMs: number): Promise<Socket> {
    const network = await this.networkOf(workspaceId);
    if (!network) throw new AgentError('unavailable', 'The workspace has no network yet. Wait until it runs');
    const { own, others } = await this.onPort(workspaceId, network, port);
    const addresses = dialAddresses(own, others);
    if (addresses.length === 0)
      throw new AgentError('bad_gateway', `Nothing in the workspace listens on port ${port}`);
    if (network.isShared) return dialFirst({ addresses, port, timeoutMs });
    return this.deps.dialers.dial(network, { addresses, port, timeoutMs });
  }

  private async onPort(workspaceId: string, network: Network, port: number): Promise<Sockets> {
    const isOnPort = (socket: ListeningSocket) => socket.port === port;
    if (!network.isShared) return { own: (await this.socketsOf(network.pid)).filter(isOnPort), others: [] };
    const sockets = await this.socketsOf('self');
    const onPort = sockets.filter(isOnPort);
    const isOwn = async (mustSearch: boolean) => {
      const owners = await this.ownersOf(sockets, [workspaceId], mustSearch);
      return ({ inode }: ListeningSocket) => owners.get(inode) === workspaceId;
    };
    const known = await isOwn(false);
    const proof = onPort.some(known) || onPort.length === 0 ? known : await isOwn(true);
    return { own: onPort.filter(proof), others: onPort.filter((socket) => !proof(socket)) };
  }

  private ownersOf(
    sockets: readonly ListeningSocket[],
    workspaceIds: readonly string[],
    mustSearch: boolean,
  ) {
    const inodes = sockets.map(({ inode }) => inode);
    return this.owners.resolve(inodes, () => this.deps.processes.all(workspaceIds), { mustSearch });
  }

  private async networkOf(workspaceId: string): Promise<Network | null> {
    const own = await this.networkName('self');
    const pid = await this.deps.processes.leader(workspaceId);
    const name = pid === null ? null : await this.networkName(pid).catch(nullWhenGone);
    return pid === null || name === null ? null : { pid, name, isShared: name === own };
  }

  private async socketsOf(pid: number | 'self'): Promise<ListeningSocket[]> {
    const sockets = await readListeningSockets(join(this.deps.procFolder, String(pid))).catch(nullWhenGone);
    return sockets ?? [];
  }

  private networkName(pid: number | 'self'): Promise<string> {
    return readlink(join(this.deps.procFolder, String(pid), 'ns', 'net'));
  }
}

/** A process may exit while it is inspected; other errors are real. */
function nullWhenGone(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  // ESRCH and EINVAL: the process is a zombie.
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL') return null;
  throw error;
}
