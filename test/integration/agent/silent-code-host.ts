import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A code host that does not answer requests, until it forwards all later ones to another host. */
export class SilentCodeHost implements AsyncDisposable {
  readonly waiting: Socket[] = [];
  private host: string | null = null;
  private readonly server: Server = createServer((incoming, outgoing) => {
    if (this.host === null) return this.waiting.push(incoming.socket);
    const { method, headers } = incoming;
    const passed = request(this.host + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    return incoming.pipe(passed);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests that already wait still get no answer. */
  consumeBy(host: string): void {
    this.host = host;
  }

  /** Ends the connections of waiting requests. */
  giveUp(): void {
    for (const socket of this.waiting) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
