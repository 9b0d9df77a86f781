import { generateKeyPairSync } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { base64url, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { KmsSigningKeys } from '../../../lambdas/shared/kms-signing-keys.js';
import { createSigningKey } from '../../support/keys.js';

const issuer = 'http://localhost:8787';
const now = new Date('2026-11-21T10:00:00Z');
const seconds = now.getTime() / 1000;
const kms = new KMSClient({});
const nodeId = newId();

let oldKey: string;
let newKey: string;
let keys: KmsSigningKeys;

beforeAll(async () => {
  oldKey = await createSigningKey();
  newKey = await createSigningKey();
  keys = new KmsSigningKeys(kms, [newKey, oldKey], issuer);
});

describe('a token signed in KMS', () => {
  it('verifies as its kind, with its claims and lifetime', async () => {
    const { token, expiresAt } = await issueToken(keys, 'nodeCallback', { claims: { sub: nodeId }, now });

    const claims = await verifyToken(keys, 'nodeCallback', { token, now });

    expect(claims).toEqual({ iss: issuer, aud: 'node-callback', sub: nodeId, iat: seconds, exp: expiresAt });
    expect(expiresAt).toBe(seconds + 24 * 60 * 60);
  });

  it('survives a rotation: the previous key stays published', async () => {
    const before = new KmsSigningKeys(kms, [oldKey], issuer);
    const { token } = await issueToken(before, 'nodeCallback', { claims: { sub: nodeId }, now });

    await expect(verifyToken(keys, 'nodeCallback', { token, now })).resolves.toMatchObject({ sub: nodeId });
    expect((await keys.publicKeys()).map(({ kid }) => kid)).toContain(await before.signingKeyId());
    expect(await keys.signingKeyId()).not.toBe(await before.signingKeyId());
  });
});

describe('a token is refused', () => {
  const refused = { code: 'INVALID_TOKEN', kind: 'unauthenticated' };
  const issue = async () => (await issueToken(keys, 'nodeCallback', { claims: { sub: nodeId }, now })).token;

  it('when it is of another kind', async () => {
    const verified = verifyToken(keys, 'workspaceCallback', { token: await issue(), now });

    await expect(verified).rejects.toMatchObject(refused);
  });

  it('when it has expired', async () => {
    const tomorrow = new Date(now.getTime() + 24 * 60 * 60 * 1000);

    const verified = verifyToken(keys, 'nodeCallback', { token: await issue(), now: tomorrow });

    await expect(verified).rejects.toMatchObject(refused);
  });

  it('when another control plane issued it', async () => {
    const other = new KmsSigningKeys(kms, [oldKey, newKey], 'https://elsewhere.example');

    const verified = verifyToken(other, 'nodeCallback', { token: await issue(), now });

    await expect(verified).rejects.toMatchObject(refused);
  });

  it('when its payload was changed', async () => {
    const [header, , signature] = (await issue()).split('.');
    const payload = base64url.encode(
      JSON.stringify({ iss: issuer, aud: 'node-callback', sub: newId(), iat: seconds, exp: seconds + 60 }),
    );

    const verified = verifyToken(keys, 'nodeCallback', { token: `${header}.${payload}.${signature}`, now });

    await expect(verified).rejects.toMatchObject(refused);
  });

  it('when its algorithm is none', async () => {
    const [, payload] = (await issue()).split('.');
    const token = `${base64url.encode('{"alg":"none"}')}.${payload}.`;

    await expect(verifyToken(keys, 'nodeCallback', { token, now })).rejects.toMatchObject(refused);
  });

  it('when a key that is not published signed it', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const token = await new SignJWT({ iss: issuer, aud: 'node-callback', sub: nodeId })
      .setProtectedHeader({ alg: 'EdDSA', kid: await keys.signingKeyId() })
      .setIssuedAt(now)
      .setExpirationTime(seconds + 60)
      .sign(privateKey);

    await expect(verifyToken(keys, 'nodeCallback', { token, now })).rejects.toMatchObject(refused);
  });

  it.each(['', 'x', 'a.b.c', '....'])('when it is no token at all: %j', async (token) => {
    await expect(verifyToken(keys, 'nodeCallback', { token, now })).rejects.toMatchObject(refused);
  });
});
