import type { webcrypto } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { KeysNotKnown } from './key-set.js';
import { TokenChecks } from './token-checks.js';

const issuer = 'https://berth.example.com';
const nodeId = '01K0000000000000000000000N';
const workspaceId = '01K0000000000000000000000W';
const other = '01K0000000000000000000000X';

let checks: TokenChecks;
let key: webcrypto.CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair('Ed25519');
  key = pair.privateKey;
  const find = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one' }] });
  checks = new TokenChecks(
    { issuer, nodeId },
    { find, edition: 1 },
    { hasEnded: (hash) => hash === 'ended' },
  );
});

function sign(claims: Record<string, unknown>, { expires = '5m', alg = 'EdDSA', with: signer = key } = {}) {
  return new SignJWT({ iss: issuer, aud: 'node-management', sub: 'control-plane', node: nodeId, ...claims })
    .setProtectedHeader({ alg, kid: 'one' })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(signer);
}

const headers = (token: string, more = {}) => ({ authorization: `Bearer ${token}`, ...more });

it('accepts a node-scoped token for the node and refuses it for a workspace', async () => {
  const token = await sign({});

  await expect(checks.node(headers(token))).resolves.toMatchObject({ node: nodeId });
  await expect(checks.workspace(headers(token), workspaceId)).rejects.toMatchObject({ code: 'forbidden' });
});

it('accepts a workspace-scoped token for its workspace only', async () => {
  const token = await sign({ workspace: workspaceId });

  await expect(checks.workspace(headers(token), workspaceId)).resolves.toBeDefined();
  await expect(checks.workspace(headers(token), other)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(checks.node(headers(token))).rejects.toMatchObject({ code: 'forbidden' });
});

describe('refuses as unauthorized', () => {
  it.each([
    ['another audience', () => sign({ aud: 'node-callback' })],
    ['a terminal token', () => sign({ aud: 'workspace-terminal', workspace: workspaceId })],
    ['another issuer', () => sign({ iss: 'https://evil.example.com' })],
    ['an expired token', () => sign({}, { expires: '-1m' })],
    ['a foreign key', async () => sign({}, { with: (await generateKeyPair('Ed25519')).privateKey })],
    ['HMAC with any secret', () => hmacSigned()],
    ['alg none', async () => `${encode({ alg: 'none' })}.${encode({ iss: issuer, node: nodeId })}.`],
    ['rubbish', async () => 'abc'],
    ['claims of a wrong form', () => sign({ node: 7 })],
  ])('%s', async (_, token) => {
    await expect(checks.management(headers(await token()))).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('a request without a token, or with another scheme', async () => {
    await expect(checks.node({})).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(checks.node({ authorization: 'Basic abc' })).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

it('answers unavailable, not unauthorized, while no keys are loaded', async () => {
  const find = async () => {
    throw new KeysNotKnown();
  };
  const early = new TokenChecks({ issuer, nodeId }, { find, edition: 0 }, { hasEnded: () => false });

  await expect(early.node(headers(await sign({})))).rejects.toMatchObject({ code: 'unavailable' });
});

it('refuses a token for another node', async () => {
  await expect(checks.node(headers(await sign({ node: other })))).rejects.toMatchObject({
    code: 'forbidden',
  });
});

it.each([
  ['x-svc-node-id', nodeId, other],
  ['x-svc-workspace-id', workspaceId, other],
])('checks the routing header %s where it is present', async (header, right, wrong) => {
  const token = await sign({ workspace: workspaceId });

  await expect(checks.workspace(headers(token, { [header]: right }), workspaceId)).resolves.toBeDefined();
  await expect(checks.workspace(headers(token, { [header]: wrong }), workspaceId)).rejects.toMatchObject({
    code: 'forbidden',
  });
});

it('accepts a terminal token in the address, but no management token', async () => {
  const claims = {
    aud: 'workspace-terminal',
    sub: other,
    workspace: workspaceId,
    generation: 1,
    session: 's',
  };
  const terminal = await sign(claims);

  await expect(checks.terminal({}, terminal)).resolves.toMatchObject({ workspace: workspaceId });
  await expect(checks.terminal({}, await sign({ workspace: workspaceId }))).rejects.toMatchObject({
    code: 'unauthorized',
  });
  await expect(checks.terminal({}, null)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(checks.terminal({}, await sign({ ...claims, session: 'ended' }))).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

function hmacSigned() {
  return new SignJWT({ iss: issuer, aud: 'node-management', sub: 'x', node: nodeId })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode('a secret of thirty-two bytes or more'));
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
