import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../../local/certificate-authority.js';

export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Answer = { readonly status: number; readonly body: unknown };

/** What the control plane sees of a node's agent: its TLS with a certificate to pin, and its answers. */
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
      const text = Buffer.concat(chunks).toString();
      const { status, body } = await stub.answer({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization ?? '',
        body: text ? JSON.parse(text) : {},
      });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
