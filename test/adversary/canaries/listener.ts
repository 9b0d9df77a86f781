import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from './places.js';

/** A server outside of the cloud, such as a model provider. Records calls by first path segment. */
export class Listener {
  private readonly received = new Map<string, string>();
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const name = request.url?.split('/')[1] ?? '';
      const said = [request.url, ...request.rawHeaders, Buffer.concat(chunks).toString()].join('\n');
      this.received.set(name, `${this.received.get(name) ?? ''}\n${said}`);
      response.end('{}');
    });
  });

  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  get url(): string {
    // A server that listens on a port has such an address.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get places(): readonly Place[] {
    return [...this.received].map(([name, said]) => ({
      name: `listener of ${name}`,
      content: Buffer.from(said),
    }));
  }

  stop(): void {
    this.server.close();
  }
}
