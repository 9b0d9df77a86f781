import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on this machine, which answers what a test wants of it. */
export class LocalPushService implements AsyncDisposable {
  readonly received: Received[] = [];
  /** By path; otherwise 201. */
  readonly answers = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(): Promise<LocalPushService> {
    const server = createServer((request, response) => {
      void (async () => {
        const { url: path = '', headers } = request;
        service.received.push({ path, headers, body: await buffer(request) });
        response.writeHead(service.answers.get(path) ?? 201, { location: 'http://127.0.0.1:9/' }).end();
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port.
    const { port } = server.address() as AddressInfo;
    const service = new LocalPushService(server, `http://127.0.0.1:${port}`);
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A browser: its key pair and secret, and what it reads of a message (RFC 8291). */
export class PushBrowser {
  private readonly pair = createECDH('prime256v1');
  private readonly secret = randomBytes(16);

  constructor() {
    this.pair.generateKeys();
  }

  get keys() {
    return { p256dh: this.pair.getPublicKey('base64url'), auth: this.secret.toString('base64url') };
  }

  read(body: Buffer): unknown {
    const salt = body.subarray(0, 16);
    const keyEnd = 21 + body.readUInt8(20);
    const sender = body.subarray(21, keyEnd);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.pair.getPublicKey(), sender]);
    const shared = this.pair.computeSecret(sender);
    const input = Buffer.from(hkdfSync('sha256', shared, this.secret, info, 32));
    const derive = (what: string, length: number) =>
      Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${what}\0`, length));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(body.subarray(-16));
    const padded = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
  }
}
