import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** What happens to an upload. */
export type UploadFault = 'refused' | 'slow' | 'cut' | 'lost_answer';

const slowMs = 4_000;

/** The object store as agents see it: their presigned addresses lead through it. */
export class ObjectDoor implements AsyncDisposable {
  private readonly targets: string[] = [];
  private readonly faults: UploadFault[] = [];

  private constructor(private readonly server: Server) {}

  static async open(): Promise<ObjectDoor> {
    const server = createServer();
    const door = new ObjectDoor(server);
    server.on('request', (request, response) => {
      door.serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return door;
  }

  /** The address that leads to a presigned one. */
  to(url: string): string {
    this.targets.push(url);
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${this.targets.length - 1}`;
  }

  /** Of the next uploads, one each. */
  fail(...faults: readonly UploadFault[]): void {
    this.faults.push(...faults);
  }

  calm(): void {
    this.faults.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = this.targets[Number(request.url?.slice(1))];
    if (target === undefined) throw new Error(`Unknown address ${request.url}`);
    const { method = '' } = request;
    const fault = method === 'PUT' ? this.faults.shift() : undefined;
    if (fault === 'cut') {
      request.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (fault === 'slow') await wait(slowMs);
    if (fault === 'refused') {
      response.writeHead(403).end();
      return;
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const body = method === 'PUT' ? Buffer.concat(chunks) : null;
    const answer = await fetch(target, { method, headers: headers as Record<string, string>, body });
    if (fault === 'lost_answer') {
      response.destroy();
      return;
    }
    const content = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-length': content.length }).end(content);
  }
}
