// GET /api/agent/download
import { GetObjectCommand, HeadObjectCommand, NoSuchKey, NotFound as NoSuchObject } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { LatestRelease, ReleaseId, releaseObjects } from '../../../protocol/releases.js';
import { publicRoute } from '../../edge/anonymous-routes.js';
import { s3 } from '../../shared/clients/s3.js';
import { readEnv } from '../../shared/env.js';
import { InvalidRequest, NotFound } from '../../shared/errors.js';
import { downloadAgent } from './contract.js';

const { ARTIFACTS_BUCKET: Bucket } = readEnv({ ARTIFACTS_BUCKET: z.string() });

const platforms = ['linux-amd64', 'linux-arm64'];
const oneYear = 'public, max-age=31536000, immutable';
const oneHour = 'public, max-age=3600';

export const handler = publicRoute(downloadAgent, async ({ query: { os, arch, release } }) => {
  // Before anything is read: a made-up release must not cost a look into the bucket.
  if (release !== undefined && !ReleaseId.safeParse(release).success) {
    throw invalid('release', 'INVALID_VERSION', 'A release is 40 lower-case hexadecimal characters');
  }
  const platform = `${os}-${arch}`;
  if (!platforms.includes(platform)) {
    throw invalid(os === 'linux' ? 'arch' : 'os', 'INVALID_PLATFORM', `One of: ${platforms.join(', ')}`);
  }

  const key = releaseObjects.binary(release ?? (await latestRelease()), platform);
  await requireObject(key);
  return {
    status: 302,
    headers: { location: `/artifacts/${key}`, 'cache-control': release ? oneYear : oneHour },
  };
});

const invalid = (field: string, code: string, message: string) =>
  new InvalidRequest(message, [{ field, message }], code);

async function latestRelease(): Promise<string> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: releaseObjects.latest }));
    return LatestRelease.parse(JSON.parse((await Body?.transformToString()) ?? '')).release;
  } catch (error) {
    if (error instanceof NoSuchKey) throw new NotFound('Agent release');
    throw error;
  }
}

async function requireObject(Key: string): Promise<void> {
  try {
    await s3.send(new HeadObjectCommand({ Bucket, Key }));
  } catch (error) {
    if (error instanceof NoSuchObject) throw new NotFound('Agent binary');
    throw error;
  }
}
