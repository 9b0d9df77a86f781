import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicJwk, SigningKeys } from '../../lambdas/shared/signing-keys.js';
import type { BuiltRelease } from './build-release.js';
import { platformName } from './platforms.js';

/** `typ` of the signature. Tokens have `JWT`, so neither is accepted as the other. */
const releaseSignatureType = 'berth-release+jws';

export interface SignedRelease extends BuiltRelease {
  /** Compact JWS over the release, its binaries, its manifest and its list of components. */
  readonly signature: string;
  /** The public keys that the node image trusts. */
  readonly keys: readonly PublicJwk[];
}

/**
 * Signs a release with the newest key. The payload holds hashes and not the manifest itself: KMS
 * signs at most 4096 bytes. The same release and key give the same signature.
 */
export async function signRelease(
  built: BuiltRelease,
  signer: Omit<SigningKeys, 'issuer'>,
): Promise<SignedRelease> {
  const { release, agentVersion, binaries } = built.manifest;
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(built.folder, name)))
      .digest('hex');
  const header = { alg: 'EdDSA', typ: releaseSignatureType, kid: await signer.signingKeyId() };
  const payload = {
    release,
    agentVersion,
    binaries: binaries.map(({ size, sha256, ...platform }) => ({
      platform: platformName(platform),
      size,
      sha256,
    })),
    documents: { 'manifest.json': hashOf('manifest.json'), 'sbom.cdx.json': hashOf('sbom.cdx.json') },
  };
  const signingInput = `${encode(header)}.${encode(payload)}`;
  const signature = Buffer.from(await signer.sign(Buffer.from(signingInput))).toString('base64url');
  return { ...built, signature: `${signingInput}.${signature}`, keys: await signer.publicKeys() };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
