import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Keeps what is PUT at an address, as an object store does. */
export class ObjectStore implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>();
  readonly headers = new Map<string, IncomingHttpHeaders>();
  /** Spoils what is stored, or refuses it. */
  fault: 'none' | 'flips a byte' | 'refuses' | 'cuts' = 'none';
  /** Whether somebody waits for a download. */
  isHolding = false;
  private released: Promise<void> = Promise.resolve();
  private letGo = () => {};
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const path = request.url ?? '';
      if (request.method === 'GET') {
        this.isHolding = true;
        this.released.then(() => {
          const object = this.objects.get(path);
          response.writeHead(object ? 200 : 404).end(object);
        });
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (this.fault === 'cuts') request.destroy();
      });
      request.on('end', () => {
        const object = Buffer.concat(chunks);
        if (this.fault === 'flips a byte') object[object.length >> 1] = (object[object.length >> 1] ?? 0) ^ 1;
        this.headers.set(path, request.headers);
        if (this.fault !== 'refuses') this.objects.set(path, object);
        response.writeHead(this.fault === 'refuses' ? 403 : 200).end();
      });
    });
  }

  static async start(): Promise<ObjectStore> {
    const store = new ObjectStore();
    await new Promise<void>((resolve) => store.server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  /** Answers no download until it is released. */
  hold(): void {
    this.isHolding = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.released = promise;
    this.letGo = resolve;
  }

  release(): void {
    this.letGo();
  }

  url(name: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${name}?X-Amz-Signature=secret-of-the-url`;
  }

  object(name: string): Buffer {
    return (
      this.objects.get(new URL(this.url(name)).pathname + new URL(this.url(name)).search) ?? Buffer.alloc(0)
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
