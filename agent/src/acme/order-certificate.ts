import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { AcmeConnection } from './acme-connection.js';
import { AcmeProblem, AcmeUnavailable, ProblemDocument } from './acme-errors.js';

const pollMs = 1_000;
const maxPollMs = 30_000;

const Order = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.optional(z.url()),
  error: z.optional(ProblemDocument),
});
type Order = z.infer<typeof Order>;

const Challenge = z.object({
  type: z.string(),
  url: z.url(),
  token: z.optional(z.string()),
  error: z.optional(ProblemDocument),
});
const Authorization = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(Challenge),
});
type Authorization = z.infer<typeof Authorization>;

export interface CertificateOrder {
  /** IPv4 address that the certificate is for (RFC 8738). */
  readonly address: string;
  /** Requested only where the authority offers it. */
  readonly profile: string;
  readonly contact: string | null;
  /** DER. */
  readonly signingRequest: Buffer;
  /** Serves the response to an `http-01` challenge until it is disposed. */
  readonly serveChallenge: (token: string, response: string) => Promise<AsyncDisposable>;
  readonly signal: AbortSignal;
}

/**
 * Orders one certificate and returns its chain as PEM, the certificate of the address first.
 *
 * @throws {AcmeProblem} the authority refused @throws {AcmeUnavailable} it did not answer
 */
export async function orderCertificate(acme: AcmeConnection, order: CertificateOrder): Promise<string> {
  await acme.openAccount(order.contact);
  const { newOrder, meta } = await acme.directory();
  const profile = meta?.profiles && order.profile in meta.profiles ? { profile: order.profile } : {};
  const identifiers = [{ type: 'ip', value: order.address }];
  const { location, value } = await acme.read(newOrder, Order, { identifiers, ...profile });
  for (const url of value.authorizations) await authorize(acme, url, order);
  const ready = await pollOrder(acme, location, { until: ['ready', 'valid'], signal: order.signal });
  if (ready.status === 'ready')
    await acme.post(ready.finalize, { csr: order.signingRequest.toString('base64url') });
  const { certificate } = await pollOrder(acme, location, { until: ['valid'], signal: order.signal });
  if (certificate === undefined) throw new AcmeUnavailable('The certificate authority named no certificate');
  return (await acme.post(certificate, null)).response.text();
}

async function authorize(acme: AcmeConnection, url: string, order: CertificateOrder): Promise<void> {
  const { value: authorization } = await acme.read(url, Authorization);
  if (authorization.status === 'valid') return;
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
  if (!challenge?.token) throw failure(authorization);
  const response = acme.accountKey.authorizationOf(challenge.token);
  await using _served = await order.serveChallenge(challenge.token, response);
  await acme.post(challenge.url, {});
  const ended = await poll(() => acme.read(url, Authorization), {
    isEnd: ({ status }) => status !== 'pending',
    signal: order.signal,
  });
  if (ended.status !== 'valid') throw failure(ended);
}

/** The reason is at the challenge that the authority tried. */
function failure({ status, challenges }: Authorization): AcmeProblem {
  const error = challenges.find((challenge) => challenge.error)?.error;
  return new AcmeProblem(error ?? { detail: `The authorization is ${status} and has no http-01 challenge` });
}

async function pollOrder(
  acme: AcmeConnection,
  url: string,
  { until, signal }: { readonly until: readonly Order['status'][]; readonly signal: AbortSignal },
): Promise<Order> {
  const ended = await poll(() => acme.read(url, Order), {
    isEnd: ({ status }) => status === 'invalid' || until.includes(status),
    signal,
  });
  if (ended.status === 'invalid') throw new AcmeProblem(ended.error ?? { detail: 'The order is invalid' });
  return ended;
}

interface Polled<Value> {
  readonly value: Value;
  readonly retryAfterMs: number;
}

/** Reads until the end, as often as the server asks for. */
async function poll<Value>(
  read: () => Promise<Polled<Value>>,
  { isEnd, signal }: { readonly isEnd: (value: Value) => boolean; readonly signal: AbortSignal },
): Promise<Value> {
  for (;;) {
    const { value, retryAfterMs } = await read();
    if (isEnd(value)) return value;
    await wait(Math.min(retryAfterMs || pollMs, maxPollMs), undefined, { signal });
  }
}
