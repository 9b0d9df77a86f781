import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, expect, it, vi } from 'vitest';
import { VerifiedTokens } from './verified-tokens.js';

const issuer = 'https://berth.example.com';
const audience = 'workspace-terminal';
const now = new Date('2026-01-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

let sign: (claims?: Record<string, unknown>) => Promise<string>;
let keys: { find: ReturnType<typeof createLocalJWKSet>; edition: number };
let tokens: VerifiedTokens;

beforeEach(async () => {
  const { privateKey, publicKey } = await generateKeyPair('Ed25519');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  keys = { find: vi.fn(createLocalJWKSet({ keys: [jwk] })), edition: 1 };
  tokens = new VerifiedTokens(keys, issuer);
  sign = (claims = {}) =>
    new SignJWT({ iss: issuer, aud: audience, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'one' })
      .setIssuedAt(now)
      .setExpirationTime(later(60))
      .sign(privateKey);
});

it('verifies the signature of a token once', async () => {
  const token = await sign({ sub: 'somebody' });

  for (let time = 0; time < 3; time++)
    expect(await tokens.payloadOf(token, audience, later(time))).toMatchObject({ sub: 'somebody' });
  expect(keys.find).toHaveBeenCalledTimes(1);
});

it('accepts a cached token for its audience only', async () => {
  const token = await sign();
  await tokens.payloadOf(token, audience, now);

  await expect(tokens.payloadOf(token, 'node-management', now)).rejects.toThrow('aud');
  await expect(tokens.payloadOf(`${token.slice(0, -4)}AAAA`, audience, now)).rejects.toThrow('signature');
});

it('refuses a cached token after its expiry', async () => {
  const token = await sign({ nbf: now.getTime() / 1_000 });
  await tokens.payloadOf(token, audience, now);

  await expect(tokens.payloadOf(token, audience, later(64))).resolves.toBeDefined();
  await expect(tokens.payloadOf(token, audience, later(65))).rejects.toThrow('exp');
  await expect(tokens.payloadOf(token, audience, later(-6))).rejects.toThrow('nbf');
});

it('verifies again after a new key set', async () => {
  const token = await sign();
  await tokens.payloadOf(token, audience, now);
  const { publicKey } = await generateKeyPair('Ed25519');
  keys.find = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] });
  keys.edition = 2;

  await expect(tokens.payloadOf(token, audience, now)).rejects.toThrow('signature');
});

it('caches a limited number of tokens, the newest', async () => {
  const first = await sign({ number: 'first' });
  await tokens.payloadOf(first, audience, now);
  const last = await sign({ number: 'last' });
  for (let number = 0; number < 499; number++) await tokens.payloadOf(await sign({ number }), audience, now);
  await tokens.payloadOf(last, audience, now);
  vi.mocked(keys.find).mockClear();

  await tokens.payloadOf(last, audience, now);
  expect(keys.find).not.toHaveBeenCalled();
  await tokens.payloadOf(first, audience, now);
  expect(keys.find).toHaveBeenCalledTimes(1);
});
