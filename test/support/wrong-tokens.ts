import { generateKeyPairSync } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { base64url, SignJWT } from 'jose';
import { issueToken } from '../../lambdas/domain/tokens/issue-token.js';
import { KmsSigningKeys } from '../../lambdas/shared/kms-signing-keys.js';

interface TokenSubject {
  readonly nodeId: string;
  readonly workspaceId: string;
}

export const signingKeys = () =>
  new KmsSigningKeys(
    new KMSClient({}),
    (process.env.SIGNING_KEY_ARNS ?? '').split(','),
    process.env.TOKEN_ISSUER ?? '',
  );

/**
 * Tokens that look right for this subject, each wrong in one way; none may pass for a callback
 * token of `kind`.
 */
export async function wrongTokens(
  kind: 'nodeCallback' | 'workspaceCallback',
  { nodeId, workspaceId }: TokenSubject,
): Promise<readonly (readonly [what: string, token: string])[]> {
  const now = new Date();
  const keys = signingKeys();
  const node = { sub: nodeId };
  const workspace = { sub: workspaceId, node: nodeId, generation: 1 };
  const right = (signer: KmsSigningKeys, at: Date) =>
    kind === 'nodeCallback'
      ? issueToken(signer, 'nodeCallback', { claims: node, now: at })
      : issueToken(signer, 'workspaceCallback', { claims: workspace, now: at });
  const otherKind =
    kind === 'nodeCallback'
      ? issueToken(keys, 'workspaceCallback', { claims: workspace, now })
      : issueToken(keys, 'nodeCallback', { claims: node, now });
  const sub = kind === 'nodeCallback' ? nodeId : workspaceId;
  const management = issueToken(keys, 'management', {
    claims: { sub, node: nodeId, workspace: workspaceId },
    now,
  });
  const terminal = issueToken(keys, 'terminal', {
    claims: { sub, node: nodeId, workspace: workspaceId, generation: 1, session: 'none' },
    now,
  });
  const elsewhere = new KmsSigningKeys(
    new KMSClient({}),
    (process.env.SIGNING_KEY_ARNS ?? '').split(','),
    'https://elsewhere.example',
  );
  const yesterday = new Date(now.getTime() - 25 * 60 * 60 * 1000);
  const good = (await right(keys, now)).token;
  return [
    ['of the other kind of callback', (await otherKind).token],
    ['for management of the node', (await management).token],
    ['for a terminal', (await terminal).token],
    ['that has expired', (await right(keys, yesterday)).token],
    ['of another issuer', (await right(elsewhere, now)).token],
    ['with algorithm none', `${base64url.encode('{"alg":"none"}')}.${good.split('.')[1]}.`],
    ['without its signature', `${good.split('.').slice(0, 2).join('.')}.`],
    ['signed by an unknown key', await forged(good)],
    ['signed with the public key as a shared secret', await confused(good, keys)],
    ['with a key of its own in its header', await withOwnKey(good)],
    ['that is no token', 'x'.repeat(64)],
  ];
}

/** HS256, its secret the public key in each form that a careless verifier might hand on. */
async function confused(good: string, keys: KmsSigningKeys): Promise<string> {
  const [header = '', payload = ''] = good.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const [key] = await keys.publicKeys();
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const secret = Buffer.from(String(key?.x), 'base64url');
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(secret);
}

/** Signed rightly, by the key that the token itself brings along. */
async function withOwnKey(good: string): Promise<string> {
  const claims = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString());
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', jwk }).sign(privateKey);
}

/** The same header and claims, signed by a key of somebody's own. */
async function forged(good: string): Promise<string> {
  const [header = '', payload = ''] = good.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { privateKey } = generateKeyPairSync('ed25519');
  return new SignJWT(read(payload)).setProtectedHeader(read(header)).sign(privateKey);
}
