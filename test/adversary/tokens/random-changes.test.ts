import * as fc from 'fast-check';
import { createLocalJWKSet } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { VerifiedTokens } from '../../../agent/src/auth/verified-tokens.js';
import { audienceOf } from '../../../lambdas/domain/tokens/issue-token.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { attempts } from '../run-length.js';
import { type Issuer, newIssuer, signClaims } from './issuer.js';
import { ids, issuerUrl, kindOfClaims, kinds, now } from './token-rows.js';

let issuer: Issuer;

beforeAll(async () => {
  issuer = await newIssuer();
});

type Change = (token: string, other: string) => string;

const place = fc.nat({ max: 2_000 });
const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.');

/** One change of a token's text, or parts of two tokens put together. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, letter).map(
    ([at, one]): Change =>
      (token) => {
        const index = at % token.length;
        return token.slice(0, index) + one + token.slice(index + 1);
      },
  ),
  fc.tuple(place, letter).map(
    ([at, one]): Change =>
      (token) => {
        const index = at % token.length;
        return token.slice(0, index) + one + token.slice(index);
      },
  ),
  place.map(
    (at): Change =>
      (token) =>
        token.slice(0, at % token.length) + token.slice((at % token.length) + 1),
  ),
  place.map(
    (at): Change =>
      (token, other) =>
        token.slice(0, at % token.length) + other.slice(at % token.length),
  ),
  fc.subarray([0, 1, 2]).map(
    (taken): Change =>
      (token, other) => {
        const foreign = other.split('.');
        return token
          .split('.')
          .map((part, index) => (taken.includes(index) ? foreign[index] : part))
          .join('.');
      },
  ),
);

describe.each(kinds)('a %s token with random changes', (kind) => {
  it('never yields claims that the issuer did not sign', async ({ task }) => {
    const numRuns = attempts({ short: 200, long: 20_000 });
    task.meta.attempts = numRuns;
    const { claims } = kindOfClaims(kind);
    const others = { ...claims, sub: ids.other, ...('userId' in claims ? { userId: ids.other } : {}) };
    const [token, other] = [signClaims(issuer, claims), signClaims(issuer, others)];
    const signed = [claims, others];
    const keys = { issuer: issuerUrl, publicKeys: async () => [issuer.jwk] };
    const onNode = new VerifiedTokens(
      { find: createLocalJWKSet({ keys: [issuer.jwk] }), edition: 1 },
      issuerUrl,
    );

    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const text = changes.reduce((changed, apply) => apply(changed || token, other), token);
        const answers = await Promise.allSettled([
          verifyToken(keys, kind, { token: text, now }),
          onNode.payloadOf(text, audienceOf(kind), now),
        ]);
        // Two texts can stand for the same signature: what counts is what is believed.
        for (const answer of answers)
          if (answer.status === 'fulfilled') expect(signed).toContainEqual(answer.value);
      }),
      { numRuns },
    );
  });
});
