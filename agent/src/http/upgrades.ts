import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import { checkHandshake, WrongSocketVersion } from './check-handshake.js';
import { rejectConnection } from './drain-socket.js';
import { describeError } from './error-response.js';

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly url: URL;
}

/** Takes over the connection; what it throws is told to the client as any other route tells it. */
export type TakeUpgrade = (upgrade: UpgradeRequest) => Promise<void>;

/** The sockets of the server: who takes which upgrade. */
export class Upgrades {
  private readonly exact = new Map<string, TakeUpgrade>();
  private readonly prefixes: { readonly pattern: RegExp; readonly take: TakeUpgrade }[] = [];

  constructor(private readonly log: Log) {}

  /** A path; or a pattern, for sockets that are part of an HTTP route. */
  add(path: string | RegExp, take: TakeUpgrade): void {
    if (typeof path === 'string') this.exact.set(path, take);
    else this.prefixes.push({ pattern: path, take });
  }

  /** Paths that are sockets and nothing else. */
  get paths(): readonly string[] {
    return [...this.exact.keys()];
  }

  /** Answers all upgrade requests of the server; those that come before `open` wait for it. */
  serve(server: Server, open: Promise<void>): void {
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const taken = open.then(() => this.take({ request, socket, head }));
      taken.catch((error: unknown) => {
        const { status, body } = describeError(error);
        if (status === 500) this.log.error('Upgrade failed', { error });
        const headers = error instanceof WrongSocketVersion ? error.headers : '';
        rejectConnection(socket, { status, body, headers });
      });
    });
  }

  private async take(upgrade: Omit<UpgradeRequest, 'url'>): Promise<void> {
    const url = URL.parse(upgrade.request.url ?? '/', 'https://node');
    if (!url) throw new AgentError('invalid_request', 'The address is not valid');
    const own = this.exact.get(url.pathname);
    // What goes on to a service of a workspace is for that to judge.
    if (own) checkHandshake(upgrade.request);
    const take = own ?? this.prefixes.find(({ pattern }) => pattern.test(url.pathname))?.take;
    if (!take) throw new AgentError('not_found', 'There is no such socket');
    await take({ ...upgrade, url });
  }
}
