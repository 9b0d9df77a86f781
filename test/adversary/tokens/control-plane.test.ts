import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidToken } from '../../../lambdas/domain/tokens/errors.js';
import { audienceOf, claimsOf } from '../../../lambdas/domain/tokens/token-kinds.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { type Forgery, forgedSignatures } from './forged-signatures.js';
import { type Issuer, newIssuer, signClaims } from './issuer.js';
import { issuerUrl, kindOfClaims, kinds, now } from './token-rows.js';
import { wrongClaims } from './wrong-claims.js';

// Every kind of token at the verifier of the control plane.

let issuer: Issuer;
let retired: Issuer;
let keys: Parameters<typeof verifyToken>[0];
let server: Server;
const fetched: (string | undefined)[] = [];

beforeAll(async () => {
  [issuer, retired] = await Promise.all([newIssuer(), newIssuer()]);
  const previous = await newIssuer();
  // As during a rotation: the previous key is published beside the newest.
  keys = { issuer: issuerUrl, publicKeys: async () => [previous.jwk, issuer.jwk] };
  server = createServer((request, response) => {
    fetched.push(request.url);
    response.end(JSON.stringify({ keys: [] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

const elsewhere = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
/** What a verifier has taken, or answered with another error than a refusal. */
async function notRefused(forgeries: readonly Forgery[], verify: (token: string) => Promise<unknown>) {
  const answers = await Promise.all(
    forgeries.map(async ([what, token]) => {
      const answer = await verify(token).catch((error: unknown) => error);
      return answer instanceof InvalidToken ? [] : [`${what}: ${String(answer).slice(0, 100)}`];
    }),
  );
  return answers.flat();
}

const audiences = kinds.map(audienceOf);

it('every kind of token has a row', () => {
  expect(kinds.toSorted()).toEqual(Object.keys(claimsOf).toSorted());
});

describe.each(kinds)('a %s token', (kind) => {
  const verify = (token: string) => verifyToken(keys, kind, { token, now });
  const { claims, ...rest } = kindOfClaims(kind);

  it('is taken when it is good', async () => {
    expect(await verify(signClaims(issuer, claims))).toMatchObject(claims);
  });

  it('is refused unless the issuer signed it', async () => {
    expect(await notRefused(await forgedSignatures(issuer, claims, elsewhere()), verify)).toEqual([]);
    expect(fetched).toEqual([]);
  });

  it('is refused when it claims a longer life than its kind has', async () => {
    const { iat, exp } = claims as { readonly iat: number; readonly exp: number };
    const shifted = { iat: 2 * iat - exp - 60, exp: exp + 365 * 24 * 60 * 60 };

    await expect(verify(signClaims(issuer, { ...claims, ...shifted }))).rejects.toBeInstanceOf(InvalidToken);
  });

  it('is refused when a retired key signed it', async () => {
    await expect(verify(signClaims(retired, claims))).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('is refused when it claims what the issuer never does', async () => {
    const wrong = wrongClaims(issuer, { claims, ...rest }, { audiences, now });

    expect(await notRefused(wrong, verify)).toEqual([]);
  });

  it.each(kinds.filter((other) => other !== kind))('is no %s token', async (other) => {
    const token = signClaims(issuer, claims);

    await expect(verifyToken(keys, other, { token, now })).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('says nothing of the token or the key in its refusal', async () => {
    const token = signClaims(retired, claims);
    const refusal = await verify(token).catch((error: unknown) => error);

    expect(String(refusal)).not.toContain(token.split('.')[1]);
    expect(String(refusal)).not.toContain(retired.jwk.kid);
  });
});
