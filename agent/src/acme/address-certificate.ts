import type { CertificateReport } from '../../../protocol/heartbeat.js';
import type { NodeCertificate } from '../node/certificate.js';
import type { Log } from '../shared/log.js';
import { nextAttempt } from './attempt-times.js';
import type { CertificateStore } from './certificate-store.js';
import { type IssuedCertificate, issuedCertificate } from './issued-certificate.js';

/** The address can change at any time; the metadata service of this machine costs nothing. */
const longestWaitMs = 3_600_000;
const addressRetryMs = 60_000;
const maxReasonChars = 500;

export interface AddressCertificateDeps {
  readonly store: CertificateStore;
  readonly findAddress: (signal: AbortSignal) => Promise<string>;
  /** Makes a key, proves the address and returns key and chain. */
  readonly order: (address: string, signal: AbortSignal) => Promise<NodeCertificate>;
  /** The server uses the certificate for new connections. */
  readonly use: (certificate: NodeCertificate) => void;
  readonly now: () => Date;
  /** Ends early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
}

/**
 * Keeps a certificate of an authority for the address of this node. Its states are in
 * docs/node-certificates.md.
 */
export class AddressCertificate implements AsyncDisposable {
  private readonly ended = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private used: string | null = null;
  private current: CertificateReport = { state: 'own' };

  constructor(private readonly deps: AddressCertificateDeps) {}

  start(): void {
    this.running = this.run();
  }

  /** For heartbeats. */
  report(): CertificateReport {
    return this.current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort(new Error('The agent shuts down'));
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const waitMs = await this.pass(signal).catch((error: unknown) => {
        if (!signal.aborted) this.fail(null, { error, nextAttemptAt: this.inMs(addressRetryMs) });
        return addressRetryMs;
      });
      await this.deps.wait(Math.min(waitMs, longestWaitMs), signal);
    }
  }

  /** Returns how long nothing is due. */
  private async pass(signal: AbortSignal): Promise<number> {
    const { store, findAddress, now } = this.deps;
    const address = await findAddress(signal);
    const saved = await store.issued();
    const held = saved && issuedCertificate(saved, { address, now: now() });
    if (held) this.use(held);
    if (held && now() < held.renewAt) {
      this.current = { state: 'issued', expiresAt: held.expiresAt.toISOString() };
      return held.renewAt.getTime() - now().getTime();
    }
    const last = await store.attempt();
    const former = last?.address === address ? last : null;
    if (!former || new Date(former.nextAttemptAt) <= now())
      return this.attempt({ address, held, failures: former?.failures ?? 0, signal });
    const { nextAttemptAt, reason } = former;
    this.current = { state: 'failed', ...expiry(held), reason, nextAttemptAt };
    return new Date(nextAttemptAt).getTime() - now().getTime();
  }

  private async attempt({ address, held, failures, signal }: Due): Promise<number> {
    const { store, order, now, log } = this.deps;
    const begun = { address, failures: failures + 1 };
    // Stored before the order: an agent that ends during it must not order at each start.
    const interrupted = { ...begun, nextAttemptAt: nextAttempt(begun.failures, { now: now() }) };
    await store.saveAttempt({ ...interrupted, reason: 'The agent ended during the order' });
    this.current = { state: held ? 'renewing' : 'ordering', ...expiry(held) };
    try {
      const issued = issuedCertificate(await order(address, signal), { address, now: now() });
      if (!issued) throw new Error('The authority issued a certificate that is not for this node');
      await store.saveIssued(issued);
      await store.saveAttempt(null);
      log.info('Certificate issued', { address, expiresAt: issued.expiresAt });
    } catch (error) {
      if (signal.aborted) return 0;
      const nextAttemptAt = nextAttempt(begun.failures, { now: now(), error });
      this.fail(held, { error, nextAttemptAt });
      await store.saveAttempt({ ...begun, nextAttemptAt, reason: reasonOf(error) });
    }
    return 0;
  }

  private use(certificate: IssuedCertificate): void {
    if (this.used === certificate.certificatePem) return;
    this.deps.use(certificate);
    this.used = certificate.certificatePem;
    const { address, expiresAt } = certificate;
    this.deps.log.info('Certificate in use', { address, expiresAt });
  }

  private fail(held: IssuedCertificate | null, { error, nextAttemptAt }: Failure): void {
    const reason = reasonOf(error);
    this.current = { state: 'failed', ...expiry(held), reason, nextAttemptAt };
    this.deps.log.warn('No certificate was issued', { error, nextAttemptAt });
  }

  private inMs(ms: number): string {
    return new Date(this.deps.now().getTime() + ms).toISOString();
  }
}

interface Due {
  readonly address: string;
  /** A certificate whose renewal is due. */
  readonly held: IssuedCertificate | null;
  readonly failures: number;
  readonly signal: AbortSignal;
}

interface Failure {
  readonly error: unknown;
  readonly nextAttemptAt: string;
}

const expiry = (held: IssuedCertificate | null) => (held ? { expiresAt: held.expiresAt.toISOString() } : {});

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown failure').slice(0, maxReasonChars);
