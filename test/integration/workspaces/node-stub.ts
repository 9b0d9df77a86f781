import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../../local/certificate-authority.js';

export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly content: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Answer {
  /** 0: none, the connection is cut. */
  readonly status: number;
  /** JSON, or bytes as they are. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/**
 * What the control plane sees of a node's agent: its TLS with a certificate to pin, and its
 * answers.
 */
export class NodeStub implements AsyncDisposable {
  requests: NodeRequest[] = [];
  /** Is asked before each answer; what it gives takes precedence. */
  onRequest: (request: NodeRequest) => Promise<Answer | undefined> = async () => undefined;

  private constructor(
    private readonly server: Server,
    readonly certificatePem: string,
  ) {}

  static async start(): Promise<NodeStub> {
    const authority = await CertificateAuthority.open(mkdtempSync(join(tmpdir(), 'berth-ca-')));
    const { certificatePem, keyPem } = await authority.issue(['node']);
    const server = createServer({ cert: certificatePem, key: keyPem });
    const stub = new NodeStub(server, certificatePem);
    server.on('request', async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const content = Buffer.concat(chunks);
      const isForm = incoming.headers['content-type']?.startsWith('multipart/');
      const { status, body, headers } = await stub.answer({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization ?? '',
        headers: incoming.headers,
        content,
        body: content.length > 0 && !isForm ? JSON.parse(content.toString()) : {},
      });
      if (status === 0) {
        response.destroy();
        return;
      }
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  /** As a node's row names it. */
  get place() {
    // It listens on TCP, so its address has a port.
    const { port } = this.server.address() as AddressInfo;
    return { host: '127.0.0.1', port, certificatePem: this.certificatePem };
  }

  /** Method and path of each request, in order. */
  get seen(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: NodeRequest): Promise<Answer> {
    this.requests.push(request);
    const given = await this.onRequest(request);
    if (given) return given;
    if (request.method === 'DELETE') return { status: 200, body: { success: true } };
    if (request.path.endsWith('/stop')) return { status: 200, body: { status: 'stopped' } };
    return { status: 202, body: { workspaceId: request.body.workspaceId, status: 'creating' } };
  }
}
