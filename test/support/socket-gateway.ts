import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SocketCall {
  readonly method: string;
  readonly connectionId: string;
  readonly frame: Record<string, unknown>;
}

/** A stand-in for the connections of API Gateway, some of which take no frame. */
export class SocketGateway implements AsyncDisposable {
  readonly asked: SocketCall[] = [];
  /** The most sends that were in progress at one time. */
  mostAtOnce = 0;
  /** Connections of which a send gets this status, or no answer. */
  readonly broken = new Map<string, number | 'silent'>();
  readonly refusesToClose = new Set<string>();
  private inProgress = 0;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async listen(): Promise<SocketGateway> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const gateway = new SocketGateway(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      gateway.begin(response);
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const connectionId = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
      const method = request.method ?? '';
      gateway.asked.push({ method, connectionId, frame: text ? JSON.parse(text) : {} });
      const refusal = gateway.refusesToClose.has(connectionId) ? 500 : undefined;
      const state = method === 'DELETE' ? refusal : gateway.broken.get(connectionId);
      // A turn of the loop later, so that sends that do not wait for each other meet here.
      if (state !== 'silent') setImmediate(() => response.writeHead(state ?? 200).end());
    });
    return gateway;
  }

  get endpoint(): string {
    // It listens on TCP, so its address has a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/live`;
  }

  /** Connections that were closed, in order. */
  get closed(): readonly string[] {
    return this.asked.flatMap(({ method, connectionId }) => (method === 'DELETE' ? [connectionId] : []));
  }

  framesOf(connectionId: string): readonly Record<string, unknown>[] {
    return this.asked.flatMap((one) =>
      one.method === 'POST' && one.connectionId === connectionId ? [one.frame] : [],
    );
  }

  reset(): void {
    this.asked.length = 0;
    this.broken.clear();
    this.refusesToClose.clear();
    this.mostAtOnce = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private begin(response: ServerResponse): void {
    this.inProgress += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.inProgress);
    response.on('close', () => {
      this.inProgress -= 1;
    });
  }
}
