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
import { withTimeout } from './shared/with-timeout.js';

const maxCertificateBytes = 8_192;

export type ShutdownStep = readonly [name: string, end: () => Promise<void>];

export interface AgentDeps {
  readonly app: FastifyInstance;
  readonly upgrades: Pick<Upgrades, 'paths' | 'serve'>;
  readonly keys: KeySet;
  readonly heartbeats: Heartbeats;
  readonly certificatePem: string;
  readonly log: Log;
  /** Compares the stored records with what runs on this machine, and corrects both. */
  readonly reconcileOnStart: () => Promise<void>;
  /** Loads the node's callback token, or redeems the bootstrap token for one. */
  readonly obtainToken: (signal: AbortSignal) => Promise<void>;
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** The life of the agent: listen, reconcile, authenticate, report ready, and shut down in order. */
export class Agent {
  private readonly ended = new AbortController();
  private readonly reconciled = Promise.withResolvers<void>();

  constructor(
    private readonly config: Config,
    private readonly deps: AgentDeps,
  ) {
    // Only health is answered before reconciliation has finished.
    deps.app.addHook('onRequest', async ({ routeOptions }) => {
      if (routeOptions.url !== '/health') await this.reconciled.promise;
    });
    deps.upgrades.serve(deps.app.server, this.reconciled.promise);
  }

  /**
   * Resolves when the node has reported ready; retries while the control plane does not answer.
   * @throws CallbackRefused when the bootstrap token is not valid
   */
  async start(): Promise<void> {
    const { app, log, keys, heartbeats } = this.deps;
    await app.listen({ host: this.config.host, port: this.config.port });
    log.info('Agent listens', { port: this.port, role: this.config.role, agentVersion });
    const keysKnown = keys.start();
    await retry(() => this.deps.reconcileOnStart(), {
      attempts: Number.POSITIVE_INFINITY,
      firstDelayMs: 500,
      maxDelayMs: 10_000,
      isTransient: () => true,
      signal: this.ended.signal,
      onRetry: (error, delayMs) => log.warn('Reconciliation failed; retrying', { error, delayMs }),
    });
    this.reconciled.resolve();
    await Promise.all([this.deps.obtainToken(this.ended.signal), keysKnown]);
    await heartbeats.start(this.readiness());
  }

  /** Runs all shutdown steps in order; a step that fails or times out does not stop the next. */
  async stop(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort(new Error('The agent shuts down'));
    const timeoutMs = this.config.gracefulShutdownMs / 3;
    for (const [step, end] of this.deps.shutdownSteps) {
      try {
        await withTimeout(end(), timeoutMs, () => new Error(`Not finished within ${timeoutMs} ms`));
      } catch (error) {
        this.deps.log.error('Shutdown step failed', { step, error });
      }
    }
  }

  /** Every route as `get /path/:parameter`; sockets are `get` too. */
  async routes(): Promise<readonly string[]> {
    const { app, upgrades } = this.deps;
    await app.ready();
    return [...routesOf(app), ...upgrades.paths.map((path) => `get ${path}`)];
  }

  get isStopping(): boolean {
    return this.ended.signal.aborted;
  }

  private get port(): number {
    // A listening TCP server has such an address.
    return ((this.deps.app.server as Server).address() as AddressInfo).port;
  }

  private readiness(): NodeReady {
    const { certificatePem } = this.deps;
    const leaf = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/.exec(certificatePem)?.[0];
    const isShort = certificatePem.length <= maxCertificateBytes;
    return {
      agentVersion,
      protocolVersion,
      role: this.config.role,
      port: this.port,
      certificatePem: isShort ? certificatePem : (leaf ?? ''),
    };
  }
}
