import { createServer, type RequestListener, type Server } from 'node:http';
import { BlockList, createServer as createSocketServer } from 'node:net';
import type Docker from 'dockerode';

/** Networks of workspaces are taken from here, and nobody else is let in at the gateway. */
export const workspaceSubnets = { address: '10.213.0.0', prefix: 16 } as const;

/** How containers reach services of this machine. */
export interface ContainerGateway {
  /** What containers call this machine. */
  readonly alias: string;
  /**
   * Where services listen for them; null: an engine in a virtual machine leads its containers to
   * the loopback address.
   */
  readonly listen: string | null;
}

/** The name of the loopback address in containers of an engine in a virtual machine. */
export const loopbackNames = (gateway: ContainerGateway | undefined): readonly string[] =>
  gateway?.listen === null ? [gateway.alias] : [];

/**
 * The gateway of the engine's default bridge: every bridge of the engine leads to it, and no other
 * machine's does.
 */
export async function findContainerGateway(docker: Docker): Promise<ContainerGateway> {
  const [config] = (await docker.getNetwork('bridge').inspect()).IPAM?.Config ?? [];
  const address = config?.Gateway ?? config?.Subnet?.replace(/\.\d+\/\d+$/, '.1');
  if (address && (await isOwn(address))) return { alias: address, listen: address };
  return { alias: 'host.docker.internal', listen: null };
}

/** Serves containers of workspaces at the gateway, and refuses everybody else who gets there. */
export class GatewayServer implements AsyncDisposable {
  private readonly server: Server;

  constructor(
    private readonly gateway: ContainerGateway | undefined,
    private readonly port: number,
    serve: RequestListener,
  ) {
    const allowed = new BlockList();
    allowed.addSubnet(workspaceSubnets.address, workspaceSubnets.prefix);
    this.server = createServer(serve);
    // Tools of coding agents stream for as long as they like.
    this.server.requestTimeout = 0;
    this.server.on('connection', (socket) => {
      if (!allowed.check(socket.remoteAddress ?? '')) socket.destroy();
    });
  }

  async start(): Promise<void> {
    const host = this.gateway?.listen;
    if (!host) return;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port: this.port, host }, resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Tests by listening: the interface list omits bridges without a container. */
function isOwn(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createSocketServer();
    server.once('error', () => resolve(false));
    server.listen({ port: 0, host: address }, () => server.close(() => resolve(true)));
  });
}
