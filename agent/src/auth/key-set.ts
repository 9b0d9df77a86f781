import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import * as z from 'zod/mini';
import { sendRequest } from '../shared/http-request.js';
import type { Log } from '../shared/log.js';
import { retry } from '../shared/retry.js';
import { SingleFlight } from '../shared/single-flight.js';

const refreshIntervalMs = 10 * 60 * 1_000;
const unknownKeyIntervalMs = 10_000;
const maxDocumentBytes = 256 * 1_024;
const KeySetDocument = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** No token can be verified yet. */
export class KeysNotKnown extends Error {
  override readonly name = 'KeysNotKnown';
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

/**
 * The control plane's public keys. Loaded keys stay valid while the control plane does not answer.
 * An unknown key id causes a reload, at most one in ten seconds, so that forged tokens cannot flood
 * the control plane.
 */
export class KeySet implements AsyncDisposable {
  private keys: LocalKeySet | null = null;
  private editionNumber = 0;
  private readonly refreshing = new SingleFlight();
  private lastRefresh = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
    private readonly log: Log,
  ) {}

  /** Resolves when keys are loaded; retries while the control plane does not answer. */
  async start(): Promise<void> {
    await retry(() => this.refresh(), {
      attempts: Number.POSITIVE_INFINITY,
      firstDelayMs: 500,
      maxDelayMs: 30_000,
      isTransient: () => true,
      signal: this.ended.signal,
      onRetry: (error, delayMs) => this.log.warn('Key set not loaded; retrying', { error, delayMs }),
    });
    this.timer = setInterval(() => {
      this.refresh().catch((error: unknown) => this.log.warn('Key set not reloaded', { error }));
    }, refreshIntervalMs);
  }

  /** Increases with each loaded key set; tokens verified with an earlier one are verified again. */
  get edition(): number {
    return this.editionNumber;
  }

  /** For `jwtVerify`. @throws KeysNotKnown */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    if (!this.keys) await this.refreshForUnknownKey();
    if (!this.keys) throw new KeysNotKnown();
    try {
      return await this.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.refreshForUnknownKey();
      return await this.keys(header, token);
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    clearInterval(this.timer);
    await this.refreshing.current?.catch(() => undefined);
  }

  private async refreshForUnknownKey(): Promise<void> {
    if (!this.refreshing.current && performance.now() - this.lastRefresh < unknownKeyIntervalMs) return;
    await this.refresh().catch((error: unknown) => this.log.warn('Key set not reloaded', { error }));
  }

  private refresh(): Promise<void> {
    return this.refreshing.run(() => this.fetch());
  }

  private async fetch(): Promise<void> {
    this.lastRefresh = performance.now();
    const signal = AbortSignal.any([this.ended.signal, AbortSignal.timeout(this.timeoutMs)]);
    const answer = await sendRequest({ url: this.url, maxBytes: maxDocumentBytes, signal });
    if (!answer.isOk) throw new Error(`${this.url} answered ${answer.status}`);
    const document = KeySetDocument.parse(JSON.parse(answer.text()));
    // jose checks each key when it is used.
    this.keys = createLocalJWKSet(document as unknown as JSONWebKeySet);
    this.editionNumber += 1;
  }
}
