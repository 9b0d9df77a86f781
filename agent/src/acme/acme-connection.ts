import * as z from 'zod/mini';
import { type HttpRequest, type HttpResponse, sendRequest } from '../shared/http-request.js';
import type { AccountKey } from './account-key.js';
import { AcmeProblem, AcmeUnavailable, ProblemDocument } from './acme-errors.js';

const requestTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1_024;
/** A server may refuse a nonce at any time; more in a row are an error of the server. */
const maxNonces = 10;
const joseType = 'application/jose+json';

const Directory = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  meta: z.optional(z.object({ profiles: z.optional(z.record(z.string(), z.unknown())) })),
});
export type Directory = z.infer<typeof Directory>;

export interface AcmeServer {
  readonly directoryUrl: string;
  /** The only authorities that its TLS certificate may come from; null: the public ones. */
  readonly trustAnchorsPem: string | null;
}

export interface AcmeAnswer {
  readonly response: HttpResponse;
  /** The resource that the request created. */
  readonly location: string;
  readonly retryAfterMs: number;
}

/** Signed requests to one ACME server (RFC 8555) from one account. */
export class AcmeConnection {
  private nonce: string | null = null;
  private accountUrl: string | null = null;
  private known: Directory | null = null;

  constructor(
    private readonly server: AcmeServer,
    readonly accountKey: AccountKey,
    private readonly signal: AbortSignal,
  ) {}

  async directory(): Promise<Directory> {
    this.known ??= parsed(Directory, await this.send({ url: this.server.directoryUrl }));
    return this.known;
  }

  /** Finds the account of the key, or creates it: a repeat answers with the same account. */
  async openAccount(contact: string | null): Promise<void> {
    const { newAccount } = await this.directory();
    const contacts = contact === null ? {} : { contact: [`mailto:${contact}`] };
    const { location } = await this.post(newAccount, { termsOfServiceAgreed: true, ...contacts });
    this.accountUrl = location;
  }

  /**
   * Sends a signed request; a payload of null reads the resource. Repeats it with another nonce
   * when the server refuses the nonce, because such a request had no effect.
   *
   * @throws {AcmeProblem} @throws {AcmeUnavailable}
   */
  async post(url: string, payload: unknown): Promise<AcmeAnswer> {
    for (let nonces = 1; ; nonces += 1) {
      try {
        return answerOf(await this.send(await this.signed(url, payload)));
      } catch (error) {
        const isStale = error instanceof AcmeProblem && error.kind === 'badNonce';
        if (!isStale || nonces >= maxNonces) throw error;
      }
    }
  }

  /** @throws {AcmeProblem} @throws {AcmeUnavailable} */
  async read<Schema extends z.ZodMiniType>(url: string, schema: Schema, payload: unknown = null) {
    const answer = await this.post(url, payload);
    return { ...answer, value: parsed(schema, answer.response) };
  }

  private async signed(url: string, payload: unknown) {
    const account = this.accountUrl === null ? { jwk: this.accountKey.jwk } : { kid: this.accountUrl };
    const body = this.accountKey.sign({ ...account, url, nonce: await this.takeNonce() }, payload);
    return { url, method: 'POST' as const, headers: { 'content-type': joseType }, body };
  }

  private async takeNonce(): Promise<string> {
    if (this.nonce === null) await this.send({ url: (await this.directory()).newNonce });
    const { nonce } = this;
    if (nonce === null) throw new AcmeUnavailable('The certificate authority gave no nonce');
    this.nonce = null;
    return nonce;
  }

  private async send(request: Omit<HttpRequest, 'maxBytes' | 'signal'>): Promise<HttpResponse> {
    const response = await this.answered(request);
    const nonce = response.headers['replay-nonce'];
    if (typeof nonce === 'string') this.nonce = nonce;
    if (!response.isOk) throw problemOf(response);
    return response;
  }

  private async answered(request: Omit<HttpRequest, 'maxBytes' | 'signal'>): Promise<HttpResponse> {
    const { trustAnchorsPem } = this.server;
    try {
      return await sendRequest({
        ...request,
        ...(trustAnchorsPem === null ? {} : { ca: trustAnchorsPem }),
        maxBytes: maxAnswerBytes,
        signal: AbortSignal.any([this.signal, AbortSignal.timeout(requestTimeoutMs)]),
      });
    } catch (cause) {
      this.signal.throwIfAborted();
      throw new AcmeUnavailable(`${request.url} did not answer (${textOf(cause)})`, { cause });
    }
  }
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'unknown failure');

function answerOf(response: HttpResponse): AcmeAnswer {
  const { location = '' } = response.headers;
  return { response, location, retryAfterMs: retryAfterMs(response) };
}

/** In seconds, or as a date. */
function retryAfterMs({ headers }: HttpResponse): number {
  const given = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : 0;
}

function problemOf(response: HttpResponse): AcmeProblem | AcmeUnavailable {
  const problem = ProblemDocument.safeParse(jsonOf(response));
  return problem.success && problem.data.type !== undefined
    ? new AcmeProblem(problem.data, retryAfterMs(response))
    : new AcmeUnavailable(`The certificate authority answered ${response.status}`);
}

function parsed<Schema extends z.ZodMiniType>(schema: Schema, response: HttpResponse): z.infer<Schema> {
  const result = schema.safeParse(jsonOf(response));
  if (result.success) return result.data;
  throw new AcmeUnavailable('The certificate authority answered in an unknown form');
}

function jsonOf(response: HttpResponse): unknown {
  try {
    return JSON.parse(response.text());
  } catch {
    return null;
  }
}
