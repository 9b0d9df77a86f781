import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { originSecretHeader } from '../../lambdas/route-row.js';
import { frontSecretHeader } from '../access/keys.js';
import { isOwnHost, refusedHost } from '../access/pages.js';
import { type ContainerGateway, GatewayServer, loopbackNames } from '../container-gateway.js';
import { forward, forwardUpgrade, type Upstream } from './forward.js';
import { forNode, securityHeaders, withoutHopByHop } from './front-headers.js';
import type { Objects } from './objects.js';
import { isWorkspaceHost, type Target, targetOf } from './target.js';

interface FrontOptions {
  readonly port: number;
  readonly emulatorPort: number;
  readonly httpApiId: string;
  readonly webSocketApiId: string;
  /** As CloudFront does, the front adds it to each call of the APIs. */
  readonly originSecret: string;
  /** The emulator takes requests of the APIs from the front alone. */
  readonly frontSecret: string;
  readonly objects: Objects;
  /** The loopback port of the node that holds a workspace, or nothing when none does. */
  readonly nodePort: (workspaceId: string) => Promise<number | undefined>;
  readonly nodeAuthority: string;
  /** Containers get the tools of coding agents there, and nothing else. */
  readonly gateway?: ContainerGateway | undefined;
}

/** The one address of the laptop cloud, for console, API, artefacts, live socket and workspaces. */
export class Front implements AsyncDisposable {
  private readonly servers: readonly Server[];
  private readonly forContainers: GatewayServer;

  constructor(private readonly options: FrontOptions) {
    // `localhost` is one address to some clients and another to others: both are served.
    this.servers = ['127.0.0.1', '::1'].map(() => {
      const server = createServer((request, response) => {
        if (this.hasKnownHost(request)) this.serve(request, response);
        else response.writeHead(403, { 'content-type': 'text/plain' }).end(refusedHost);
      });
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        this.upgrade(request, socket, head),
      );
      // Terminals and long answers must not be cut by a server's own impatience.
      server.requestTimeout = 0;
      // A client must not send on a connection that is being closed. Node's 5 s are near to the
      // time that clients wait between two requests.
      server.keepAliveTimeout = 75_000;
      return server;
    });
    this.forContainers = new GatewayServer(options.gateway, options.port, (request, response) => {
      // By its name a host could be a workspace's.
      request.headers.host = '';
      if (request.url?.split('?')[0] === '/mcp') this.serve(request, response);
      else answerJson(response, 404, 'NOT_FOUND', 'Containers find only /mcp here');
    });
  }

  async start(): Promise<void> {
    const [ipv4, ipv6] = this.servers;
    if (ipv4) await listen(ipv4, this.options.port, '127.0.0.1');
    // A machine without IPv6 has nobody who would ask there.
    if (ipv6) await listen(ipv6, this.options.port, '::1').catch(() => undefined);
    await this.forContainers.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forContainers[Symbol.asyncDispose]();
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  private hasKnownHost({ headers: { host = '' } }: IncomingMessage): boolean {
    return isWorkspaceHost(host) || isOwnHost(host, loopbackNames(this.options.gateway));
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const target = targetOf(request.headers.host ?? '', request.url ?? '/');
      protect(target, response);
      if (target.kind === 'artifacts') return await this.options.objects.artifact(target.key, response);
      if (target.kind === 'console') return await this.options.objects.page(target.key, response);
      if (target.kind === 'elsewhere') {
        const message = 'What a workspace serves is at its own address, ws-<workspaceId>.localhost';
        return answerJson(response, 404, 'NOT_FOUND', message);
      }
      const upstream = await this.upstream(target, request);
      if (upstream) forward(upstream, request, response);
      else answerJson(response, 404, 'NOT_FOUND', 'No node holds this workspace');
    } catch {
      if (response.headersSent) response.destroy();
      else answerJson(response, 502, 'BAD_GATEWAY', 'The laptop cloud cannot reach its emulator');
    }
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (!this.hasKnownHost(request)) return refuseUpgrade(socket, '403 Forbidden');
    // Any other protocol, as h2c, would be a tunnel past the paths of this front into what is
    // behind it.
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return refuseUpgrade(socket, '400 Bad Request');
    try {
      const target = targetOf(request.headers.host ?? '', request.url ?? '/');
      const upstream = await this.upstream(target, request);
      if (upstream) forwardUpgrade(upstream, request, socket, head);
      else refuseUpgrade(socket, '404 Not Found');
    } catch {
      refuseUpgrade(socket, '502 Bad Gateway');
    }
  }

  private async upstream(target: Target, request: IncomingMessage): Promise<Upstream | undefined> {
    const { emulatorPort, httpApiId, webSocketApiId, originSecret, frontSecret, nodePort, nodeAuthority } =
      this.options;
    const path = request.url ?? '/';
    if (target.kind === 'workspace') {
      const port = await nodePort(target.workspaceId);
      if (port === undefined) return undefined;
      return {
        protocol: 'https:',
        port,
        ca: nodeAuthority,
        path: target.path,
        headers: { ...forNode(request.headers), host: request.headers.host },
      };
    }
    if (target.kind !== 'api' && target.kind !== 'live') return undefined;
    // By path, not by the API's host name: the emulator would answer /health itself.
    const prefix = target.kind === 'api' ? `${httpApiId}/$default` : webSocketApiId;
    return {
      protocol: 'http:',
      port: emulatorPort,
      path: `/_aws/execute-api/${prefix}${path}`,
      headers: {
        ...withoutHopByHop(request.headers),
        host: `127.0.0.1:${emulatorPort}`,
        'x-forwarded-for': request.socket.remoteAddress ?? '127.0.0.1',
        'x-forwarded-proto': 'http',
        [originSecretHeader]: originSecret,
        [frontSecretHeader]: frontSecret,
      },
    };
  }
}

/** A workspace's own address is its own origin: what its services answer is theirs to protect. */
function protect(target: Target, response: ServerResponse): void {
  if (target.kind === 'workspace' && !target.isAtFront) return;
  response.setHeaders(new Map(Object.entries(securityHeaders)));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve());
  });
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
function answerJson(response: ServerResponse, status: number, error: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error, message }));
}
