import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AgentError } from '../errors.js';
import { routedAddress } from '../previews/preview-address.js';
import type { Log } from '../shared/log.js';
import { checkHandshake, HandshakeError } from './check-handshake.js';
import { rejectConnection } from './drain-socket.js';
import { describeError } from './error-response.js';

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly url: URL;
}

/** Takes over the connection. An error becomes the same response as on a route. */
export type TakeUpgrade = (upgrade: UpgradeRequest) => Promise<void>;

/** The upgrade handlers of the server, by path. */
export class Upgrades {
  private readonly exact = new Map<string, TakeUpgrade>();
  private readonly prefixes: { readonly pattern: RegExp; readonly take: TakeUpgrade }[] = [];

  constructor(private readonly log: Log) {}

  /** Adds a path, or a pattern for upgrades on forwarded routes. */
  add(path: string | RegExp, take: TakeUpgrade): void {
    if (typeof path === 'string') this.exact.set(path, take);
    else this.prefixes.push({ pattern: path, take });
  }

  /** Paths of WebSocket contracts. */
  get paths(): readonly string[] {
    return [...this.exact.keys()];
  }

  /** Handles all upgrade requests of the server, after `open` has resolved. */
  serve(server: Server, open: Promise<void>): void {
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const taken = open.then(() => this.take({ request, socket, head }));
      taken.catch((error: unknown) => {
        const { status, body } = describeError(error);
        if (status === 500) this.log.error('Upgrade failed', { error });
        const headers = error instanceof HandshakeError ? error.headers : '';
        rejectConnection(socket, { status, body, headers });
      });
    });
  }

  private async take(upgrade: Omit<UpgradeRequest, 'url'>): Promise<void> {
    const url = URL.parse(routedAddress(upgrade.request), 'https://node');
    if (!url) throw new AgentError('invalid_request', 'The address is not valid');
    const own = this.exact.get(url.pathname);
    // Forwarded handshakes are checked by the service.
    if (own) checkHandshake(upgrade.request);
    const take = own ?? this.prefixes.find(({ pattern }) => pattern.test(url.pathname))?.take;
    if (!take) throw new AgentError('not_found', 'No such socket');
    await take({ ...upgrade, url });
  }
}
