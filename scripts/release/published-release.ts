import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { releaseObjects } from '../../protocol/releases.js';
import type { ReleaseTarget } from '../agent-binaries/upload-release.js';

const Published = z.object({ release: z.string(), agentVersion: z.string() });

/** What was published under this commit. @throws when nothing was */
export async function publishedRelease(
  { s3, bucket }: ReleaseTarget,
  release: string,
): Promise<z.infer<typeof Published>> {
  try {
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: releaseObjects.manifest(release) }),
    );
    return Published.parse(JSON.parse((await Body?.transformToString()) ?? ''));
  } catch (error) {
    if (error instanceof NoSuchKey)
      throw new Error(`There is no release ${release}; check it out and release it`);
    throw error;
  }
}
