import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';

/**
 * Deletes every object of a bucket, with all its versions: CloudFormation deletes none but empty
 * buckets.
 */
export async function emptyBucket(s3: S3Client, bucket: string): Promise<number> {
  let deleted = 0;
  for (;;) {
    // Always the first page: what it showed is gone by the next look.
    const objects = await firstVersions(s3, bucket);
    if (objects.length === 0) return deleted;
    const { Errors = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
    );
    if (Errors[0]) throw new Error(`${bucket}/${Errors[0].Key} cannot be deleted: ${Errors[0].Message}`);
    deleted += objects.length;
  }
}

async function firstVersions(s3: S3Client, bucket: string) {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket: bucket }),
  );
  return [...Versions, ...DeleteMarkers].flatMap(({ Key, VersionId }) =>
    Key ? [{ Key, ...(VersionId ? { VersionId } : {}) }] : [],
  );
}
