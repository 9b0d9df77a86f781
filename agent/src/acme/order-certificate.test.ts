import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StandInAuthority } from '../../../test/support/acme/stand-in-authority.js';
import { AccountKey } from './account-key.js';
import { AcmeConnection } from './acme-connection.js';
import { AcmeProblem, AcmeUnavailable } from './acme-errors.js';
import { serveChallenge } from './challenge-listener.js';
import { orderCertificate } from './order-certificate.js';
import { signingRequest } from './signing-request.js';

const address = '127.0.0.1';
let authority: StandInAuthority;

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

beforeEach(async () => {
  authority = await StandInAuthority.start();
  // The system chooses a port that nobody has; it is free again before the order.
  const probe = createServer().listen(0, address);
  await once(probe, 'listening');
  authority.challengePort = (probe.address() as AddressInfo).port;
  probe.close();
  await once(probe, 'close');
});

afterEach(() => authority[Symbol.asyncDispose]());

function order(
  key = newKey(),
  {
    present = (text: string) => text,
    profile = 'shortlived',
    listensAt: port = authority.challengePort,
  }: Partial<Changes> = {},
): Promise<string> {
  const signal = AbortSignal.timeout(30_000);
  const server = { directoryUrl: authority.directoryUrl, trustAnchorsPem: null };
  return orderCertificate(new AcmeConnection(server, new AccountKey(newKey()), signal), {
    address,
    profile,
    contact: null,
    signingRequest: signingRequest(address, key),
    serveChallenge: (token, response) => serveChallenge({ host: address, port }, token, present(response)),
    signal,
  });
}

interface Changes {
  readonly present: (response: string) => string;
  readonly profile: string;
  readonly listensAt: number;
}

const problemOf = (ordered: Promise<string>) =>
  ordered.then(
    () => null,
    (error: unknown) => error,
  );

it('gets a certificate of its own key for its address', async () => {
  const key = newKey();

  const certificate = new X509Certificate(await order(key));

  expect(certificate.checkPrivateKey(key)).toBe(true);
  expect(certificate.checkIP(address)).toBe(address);
  expect(authority.orders).toEqual([
    { identifiers: [{ type: 'ip', value: address }], profile: 'shortlived' },
  ]);
});

it('names no profile that the authority does not offer', async () => {
  await order(newKey(), { profile: 'tlsserver' });

  expect(authority.orders).toEqual([{ identifiers: [{ type: 'ip', value: address }] }]);
});

it('repeats a request whose nonce is refused, and gives up after ten', async () => {
  authority.refusedNonces = 9;
  await expect(order()).resolves.toMatch(/BEGIN CERTIFICATE/);

  authority.refusedNonces = 10;
  expect(await problemOf(order())).toMatchObject({ kind: 'badNonce' });
});

it.each([
  ['rateLimited', 120_000],
  ['rejectedIdentifier', 0],
  ['somethingNew', 0],
])('a refusal of the order is a problem of its kind: %s', async (type, retryAfterMs) => {
  const refusal = {
    type,
    detail: 'Not now',
    ...(retryAfterMs ? { retryAfterSeconds: retryAfterMs / 1_000 } : {}),
  };
  authority.refusals.set('newOrder', [refusal]);

  const problem = await problemOf(order());

  expect(problem).toBeInstanceOf(AcmeProblem);
  expect(problem).toMatchObject({ kind: type === 'somethingNew' ? 'other' : type, retryAfterMs });
  expect(String(problem)).toContain(`${type}: Not now`);
});

it('a validation that fails is a problem with the reason of the challenge', async () => {
  expect(await problemOf(order(newKey(), { present: () => 'wrong' }))).toMatchObject({
    kind: 'unauthorized',
  });

  const listensAt = authority.challengePort;
  authority.challengePort = 1;
  expect(await problemOf(order(newKey(), { listensAt }))).toMatchObject({ kind: 'connection' });
});

it('an authority that does not answer is unavailable', async () => {
  await authority[Symbol.asyncDispose]();

  expect(await problemOf(order())).toBeInstanceOf(AcmeUnavailable);
});

it('the listener answers the challenge, nothing else, and ends with the validation', async () => {
  const url = `http://${address}:${authority.challengePort}/.well-known/acme-challenge`;
  const listener = await serveChallenge({ host: address, port: authority.challengePort }, 'token', 'answer');

  expect(await (await fetch(`${url}/token`)).text()).toBe('answer');
  for (const path of ['/other', '/token/../../..', '/token?x'])
    expect((await fetch(url + path)).status).toBe(404);
  expect((await fetch(`${url}/token`, { method: 'POST' })).status).toBe(404);

  await listener[Symbol.asyncDispose]();
  await expect(fetch(`${url}/token`)).rejects.toThrow();
});
