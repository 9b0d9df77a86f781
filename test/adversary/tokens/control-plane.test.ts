import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidToken } from '../../../lambdas/domain/tokens/errors.js';
import { audienceOf, claimsOf } from '../../../lambdas/domain/tokens/issue-token.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { forgedSignatures } from './forged-signatures.js';
import { type Issuer, newIssuer, signClaims } from './issuer.js';
import { notRefused } from './not-refused.js';
import { issuerUrl, kindOfClaims, kinds, now } from './token-rows.js';
import { TrapServer } from './trap-server.js';
import { wrongClaims } from './wrong-claims.js';

// Every kind of token at the verifier of the control plane.

let issuer: Issuer;
let retired: Issuer;
let keys: Parameters<typeof verifyToken>[0];
let trap: TrapServer;

beforeAll(async () => {
  [issuer, retired] = await Promise.all([newIssuer(), newIssuer()]);
  const previous = await newIssuer();
  // As during a rotation: the previous key is published beside the newest.
  keys = { issuer: issuerUrl, publicKeys: async () => [previous.jwk, issuer.jwk] };
  trap = await TrapServer.start();
});
afterAll(() => trap[Symbol.asyncDispose]());

const isRefusal = (answer: unknown): boolean => answer instanceof InvalidToken;

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
    expect(await notRefused(await forgedSignatures(issuer, claims, trap.url), verify, isRefusal)).toEqual([]);
    expect(trap.fetched).toEqual([]);
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

    expect(await notRefused(wrong, verify, isRefusal)).toEqual([]);
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
