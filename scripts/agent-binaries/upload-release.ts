import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { releaseObjects } from '../../protocol/releases.js';
import { platformName } from './platforms.js';
import type { SignedRelease } from './sign-release.js';

const cachedPermanently = 'public, max-age=31536000, immutable';
const oneHour = 'public, max-age=3600';

export interface ReleaseTarget {
  readonly s3: S3Client;
  readonly bucket: string;
}

/**
 * Puts a release into the artefact bucket, its manifest last: a release with a manifest is whole.
 * What is there already stays; a repeat uploads what is missing.
 * @throws when files differed from the commit, or when other bytes were published under that commit
 * before
 */
export async function uploadRelease(
  target: ReleaseTarget,
  { folder, manifest, signature }: SignedRelease,
): Promise<{ readonly uploaded: number }> {
  const { release, binaries, provenance } = manifest;
  if (provenance.modified)
    throw new Error(`The build of ${release} is of changed files; commit them and build again`);
  let uploaded = 0;
  for (const { file, sha256, ...platform } of binaries) {
    const body = readFileSync(join(folder, file));
    if (sha256Of(body) !== sha256) throw new Error(`${file} is not what its manifest says; build it again`);
    const key = releaseObjects.binary(release, platformName(platform));
    const disposition = `attachment; filename="${file}"`;
    if (await put(target, { key, body, type: 'application/octet-stream', disposition })) uploaded += 1;
  }
  const document = async (name: string, key: string) =>
    put(target, { key, body: readFileSync(join(folder, name)), type: 'application/json' });
  await document('sbom.cdx.json', releaseObjects.sbom(release));
  // A repeat after a rotation signs the same statement with the new key, so this object may change.
  await put(target, {
    key: releaseObjects.signature(release),
    body: Buffer.from(signature),
    type: 'application/jose',
    isReplaceable: true,
  });
  await document('manifest.json', releaseObjects.manifest(release));
  return { uploaded };
}

/** From now on this release is what the download gives to those who ask for none. */
export async function nameLatest({ s3, bucket }: ReleaseTarget, release: string): Promise<void> {
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: releaseObjects.latest,
      Body: JSON.stringify({ release }),
      ContentType: 'application/json',
      CacheControl: 'no-cache',
    }),
  );
}

interface Upload {
  readonly key: string;
  readonly body: Buffer;
  readonly type: string;
  readonly disposition?: string;
  readonly isReplaceable?: boolean;
}

async function put(
  { s3, bucket }: ReleaseTarget,
  { key, body, type, disposition, isReplaceable = false }: Upload,
): Promise<boolean> {
  const sha256 = sha256Of(body);
  const published = await publishedHash({ s3, bucket }, key);
  if (published === sha256) return false;
  if (published !== undefined && !isReplaceable)
    throw new Error(`${key} was published before, with other bytes`);
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentType: type,
      CacheControl: isReplaceable ? oneHour : cachedPermanently,
      Metadata: { sha256 },
      ...(disposition ? { ContentDisposition: disposition } : {}),
    }),
  );
  return true;
}

async function publishedHash({ s3, bucket }: ReleaseTarget, key: string): Promise<string | undefined> {
  try {
    const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    return Metadata?.sha256 ?? 'unknown';
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

const sha256Of = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
