import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../../agent/src/node/make-certificate.js';

/** A server with the certificate that a node makes for itself, which no browser trusts. */
export class UntrustedNode implements AsyncDisposable {
  /** Requests that arrived in spite of the certificate. */
  readonly requests: string[] = [];
  url = '';
  private readonly server;

  private constructor() {
    const { certificatePem: cert, keyPem: key } = makeCertificate('node');
    this.server = createServer({ cert, key }, ({ url = '' }, response) => {
      this.requests.push(url);
      response.end();
    });
  }

  static async start(): Promise<UntrustedNode> {
    const made = new UntrustedNode();
    await once(made.server.listen(0, '127.0.0.1'), 'listening');
    made.url = `https://127.0.0.1:${(made.server.address() as AddressInfo).port}`;
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
