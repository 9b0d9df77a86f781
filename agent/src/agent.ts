import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { NodeReady } from '../../protocol/callbacks.js';
import { protocolVersion } from '../../protocol/version.js';
import type { KeySet } from './auth/key-set.js';
import type { Config } from './config/config.js';
import type { Heartbeats } from './control-plane/heartbeats.js';
import { routesOf } from './http/server.js';
import type { Upgrades } from './http/upgrades.js';
import { agentVersion } from './node/agent-version.js';
import type { Log } from './shared/log.js';
import { retry } from './shared/retry.js';

const maxCertificateBytes = 8_192;

export interface AgentParts {
  readonly app: FastifyInstance;
  readonly upgrades: Pick<Upgrades, 'paths' | 'serve'>;
  readonly keys: KeySet;
  readonly heartbeats: Heartbeats;
  readonly certificatePem: string;
  readonly log: Log;
  /** Brings records and machine together again. */
  readonly reconcileOnStart: () => Promise<void>;
  /** Finds, or redeems, the node's callback token. */
  readonly obtainToken: (signal: AbortSignal) => Promise<void>;
  /** In the order in which they end. */
  readonly ending: readonly (readonly [name: string, end: () => Promise<void>])[];
}

/** The whole agent's life: listen, take stock, prove who it is, report ready, and end in order. */
export class Agent {
  private readonly ended = new AbortController();
  private readonly stockTaken = Promise.withResolvers<void>();

  constructor(
    private readonly config: Config,
    private readonly parts: AgentParts,
  ) {
    // Health is answered from the first moment; all else once it is known what is on this machine.
    parts.app.get('/health', async () => ({ status: 'healthy' }));
    parts.app.addHook('onRequest', async ({ routeOptions }) => {
      if (routeOptions.url !== '/health') await this.stockTaken.promise;
    });
    parts.upgrades.serve(parts.app.server, this.stockTaken.promise);
  }

  /**
   * Resolves when the node has reported ready; a control plane that is away is waited for.
   * @throws CallbackRefused when the bootstrap token is no good
   */
  async start(): Promise<void> {
    const { app, log, keys, heartbeats } = this.parts;
    await app.listen({ host: this.config.host, port: this.config.port });
    log.info('Agent listens', { port: this.port, role: this.config.role, agentVersion });
    const keysKnown = keys.start();
    await retry(() => this.parts.reconcileOnStart(), {
      attempts: Number.POSITIVE_INFINITY,
      firstDelayMs: 500,
      maxDelayMs: 10_000,
      isTransient: () => true,
      signal: this.ended.signal,
      onRetry: (error, delayMs) => log.warn('Stock not taken; trying again', { error, delayMs }),
    });
    this.stockTaken.resolve();
    await Promise.all([this.parts.obtainToken(this.ended.signal), keysKnown]);
    await heartbeats.start(this.readiness());
  }

  /** Ends everything in order; a part that takes too long is left behind, so that those after it end all the same. */
  async stop(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort(new Error('The agent shuts down'));
    for (const [name, end] of this.parts.ending) {
      try {
        await inTime(end(), this.config.gracefulShutdownMs / 3);
      } catch (error) {
        this.parts.log.error('Not ended cleanly', { part: name, error });
      }
    }
  }

  /** What it serves, as `get /path/:parameter`; sockets are `get` too. */
  async routes(): Promise<readonly string[]> {
    const { app, upgrades } = this.parts;
    await app.ready();
    return [...routesOf(app), ...upgrades.paths.map((path) => `get ${path}`)];
  }

  get isStopping(): boolean {
    return this.ended.signal.aborted;
  }

  private get port(): number {
    // A listening TCP server has such an address.
    return ((this.parts.app.server as Server).address() as AddressInfo).port;
  }

  private readiness(): NodeReady {
    const { certificatePem } = this.parts;
    const whole = certificatePem.length <= maxCertificateBytes;
    const leaf = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/.exec(certificatePem)?.[0];
    return {
      agentVersion,
      protocolVersion,
      role: this.config.role,
      port: this.port,
      certificatePem: whole ? certificatePem : (leaf ?? ''),
    };
  }
}

async function inTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLate.reject(new Error(`Not within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}
