import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server whose URL tokens name as the location of their key. Verifiers must not fetch it. */
export class TrapServer implements AsyncDisposable {
  readonly fetched: (string | undefined)[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.fetched.push(request.url);
      response.end(JSON.stringify({ keys: [] }));
    });
  }

  static async start(): Promise<TrapServer> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new TrapServer(server);
  }

  get url(): string {
    // A TCP server's address is this kind.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((closed) => this.server.close(closed));
  }
}
