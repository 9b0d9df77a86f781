import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { emptyBucket } from '../../../scripts/release/empty-bucket.js';

it('empties a bucket of all versions and delete markers, so that it can be deleted', async () => {
  const s3 = new S3Client({});
  const Bucket = `empty-${randomUUID()}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  for (const Body of ['one', 'two']) await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body }));
  await s3.send(new PutObjectCommand({ Bucket, Key: 'b/c', Body: 'three' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'b/c' }));

  expect(await emptyBucket(s3, Bucket)).toBe(4);

  await s3.send(new DeleteBucketCommand({ Bucket }));
  await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }))).rejects.toThrow();
});
