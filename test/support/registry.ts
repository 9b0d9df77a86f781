import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Manifest {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * An image registry in memory, as much of the distribution protocol as docker push and pull speak.
 * On the loopback address the engine takes it without TLS.
 * https://github.com/opencontainers/distribution-spec
 */
export class Registry implements AsyncDisposable {
  readonly manifests = new Map<string, Manifest>();
  readonly authorizations: string[] = [];
  /** Answers nothing while it is set. */
  isStalled = false;
  address = '';
  private readonly blobs = new Map<string, Buffer>();
  private readonly uploads = new Map<string, Buffer[]>();
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<Registry> {
    const registry = new Registry();
    await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve));
    registry.address = `127.0.0.1:${(registry.server.address() as AddressInfo).port}`;
    return registry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isStalled) return;
    this.authorizations.push(request.headers.authorization ?? '');
    const url = new URL(request.url ?? '/', 'http://registry');
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    const [, name = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs\/uploads|blobs)\/?(.*)$/.exec(url.pathname) ?? [];
    if (kind === 'manifests') return this.manifest(request, response, `${name}:${reference}`);
    if (kind === 'blobs') return this.blob(request, response, reference);
    if (kind !== 'blobs/uploads') return void response.writeHead(200).end('{}');
    const id = reference || randomUUID();
    const chunks = this.uploads.get(id) ?? [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.uploads.set(id, chunks);
    const digest = url.searchParams.get('digest');
    if (digest) this.blobs.set(digest, Buffer.concat(chunks));
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    response
      .setHeader('location', digest ? `/v2/${name}/blobs/${digest}` : `/v2/${name}/blobs/uploads/${id}`)
      .setHeader('docker-upload-uuid', id)
      .setHeader('range', `0-${Math.max(0, size - 1)}`)
      .writeHead(digest ? 201 : 202)
      .end();
  }

  private async manifest(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    if (request.method === 'PUT') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const manifest = { type: request.headers['content-type'] ?? '', bytes: Buffer.concat(chunks) };
      const name = key.slice(0, key.lastIndexOf(':'));
      for (const one of [key, `${name}:${digestOf(manifest.bytes)}`]) this.manifests.set(one, manifest);
      response.setHeader('docker-content-digest', digestOf(manifest.bytes)).writeHead(201).end();
      return;
    }
    // A digest has a colon of its own.
    const at = key.includes(':sha256:') ? key.replace(/:(sha256:.*)$/, ':$1') : key;
    const found = this.manifests.get(at);
    if (!found) return void response.writeHead(404).end('{}');
    response.setHeader('docker-content-digest', digestOf(found.bytes));
    send(request, response, found);
  }

  private blob(request: IncomingMessage, response: ServerResponse, digest: string): void {
    const bytes = this.blobs.get(digest);
    if (!bytes) return void response.writeHead(404).end('{}');
    response.setHeader('docker-content-digest', digest);
    send(request, response, { type: 'application/octet-stream', bytes });
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function send(request: IncomingMessage, response: ServerResponse, { type, bytes }: Manifest): void {
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
