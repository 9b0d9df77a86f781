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

const refreshIntervalMs = 10 * 60 * 1_000;
const unknownKeyIntervalMs = 10_000;
const maxDocumentBytes = 256 * 1_024;
const KeySetDocument = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Of no token can be said yet whether it is good. */
export class KeysNotKnown extends Error {
  override readonly name = 'KeysNotKnown';
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

/**
 * The control plane's public keys. Known keys stay good while the control plane is away; an unknown key id asks
 * it again, at most once in ten seconds, so that forged tokens cannot be used to flood it.
 */
export class KeySet implements AsyncDisposable {
  private keys: LocalKeySet | null = null;
  private editionNumber = 0;
  private refreshing: Promise<void> | null = null;
  private lastRefresh = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
    private readonly log: Log,
  ) {}

  /** Resolves once keys are known; a control plane that is down is waited for. */
  async start(): Promise<void> {
    await retry(() => this.refresh(), {
      attempts: Number.POSITIVE_INFINITY,
      firstDelayMs: 500,
      maxDelayMs: 30_000,
      isTransient: () => true,
      signal: this.ended.signal,
      onRetry: (error, delayMs) => this.log.warn('Keys not available; trying again', { error, delayMs }),
    });
    this.timer = setInterval(() => {
      this.refresh().catch((error: unknown) => this.log.warn('Keys not refreshed', { error }));
    }, refreshIntervalMs);
  }

  /** Another number for each set of keys that was fetched: what an earlier one vouched for is to be asked again. */
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
    await this.refreshing?.catch(() => undefined);
  }

  private async refreshForUnknownKey(): Promise<void> {
    if (!this.refreshing && performance.now() - this.lastRefresh < unknownKeyIntervalMs) return;
    await this.refresh().catch((error: unknown) => this.log.warn('Keys not refreshed', { error }));
  }

  private refresh(): Promise<void> {
    this.refreshing ??= this.fetch().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  private async fetch(): Promise<void> {
    this.lastRefresh = performance.now();
    const signal = AbortSignal.any([this.ended.signal, AbortSignal.timeout(this.timeoutMs)]);
    const answer = await sendRequest({ url: this.url, maxBytes: maxDocumentBytes, signal });
    if (!answer.isOk) throw new Error(`${this.url} answered ${answer.status}`);
    const document = KeySetDocument.parse(JSON.parse(answer.text()));
    // The library checks each key when it is used; here only the outer form is known.
    this.keys = createLocalJWKSet(document as unknown as JSONWebKeySet);
    this.editionNumber += 1;
  }
}
