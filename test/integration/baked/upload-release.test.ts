import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import type { BuiltRelease } from '../../../scripts/agent-binaries/build-release.js';
import { manifestOf } from '../../../scripts/agent-binaries/manifest.js';
import { sbomOf } from '../../../scripts/agent-binaries/sbom.js';
import {
  nameLatest,
  type ReleaseTarget,
  uploadRelease,
} from '../../../scripts/agent-binaries/upload-release.js';
import { loadRoute } from '../../support/invoke.js';

const release = '89abcdef0123456789abcdef0123456789abcdef';
const key = `agents/${release}/vm-agent-linux-amd64`;
let target: ReleaseTarget;

beforeEach(async () => {
  target = { s3: new S3Client({}), bucket: `artifacts-${randomUUID()}` };
  await target.s3.send(new CreateBucketCommand({ Bucket: target.bucket }));
});

/** A release of one binary, with other bytes than those of a real one. */
function builtRelease(content = 'agent', isModified = false): BuiltRelease {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const file = 'vm-agent-linux-amd64';
  const sha256 = createHash('sha256').update(content).digest('hex');
  const binary = { os: 'linux', arch: 'amd64', file, size: content.length, sha256 } as const;
  const manifest = manifestOf({ id: release, isModified }, [binary]);
  writeFileSync(join(folder, file), content);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'sbom.cdx.json'), JSON.stringify(sbomOf({ id: release, isModified }, '1')));
  return { folder, manifest };
}

const keys = async () => {
  const { Contents } = await target.s3.send(new ListObjectsV2Command({ Bucket: target.bucket }));
  return (Contents ?? []).map(({ Key }) => Key);
};

it('publishes the binaries for good, as files to keep, with manifest and list of components', async () => {
  expect(await uploadRelease(target, builtRelease())).toEqual({ uploaded: 1 });

  const documents = ['manifest.json', 'sbom.cdx.json'].map((name) => `agents/${release}/${name}`);
  expect(await keys()).toEqual([...documents, key]);
  const head = await target.s3.send(new HeadObjectCommand({ Bucket: target.bucket, Key: key }));
  expect(head).toMatchObject({
    ContentType: 'application/octet-stream',
    ContentDisposition: 'attachment; filename="vm-agent-linux-amd64"',
    CacheControl: 'public, max-age=31536000, immutable',
  });
});

it('uploads nothing twice', async () => {
  const built = builtRelease();
  await uploadRelease(target, built);

  expect(await uploadRelease(target, built)).toEqual({ uploaded: 0 });
});

it('never changes what was published', async () => {
  await uploadRelease(target, builtRelease());

  await expect(uploadRelease(target, builtRelease('other'))).rejects.toThrow(
    'published before, with other bytes',
  );
});

it('publishes neither changed files nor a binary that its manifest does not describe', async () => {
  const broken = builtRelease();
  writeFileSync(join(broken.folder, 'vm-agent-linux-amd64'), 'cut');

  await expect(uploadRelease(target, builtRelease('agent', true))).rejects.toThrow('changed files');
  await expect(uploadRelease(target, broken)).rejects.toThrow('not what its manifest says');
  expect(await keys()).toEqual([]);
});

it('is what the download gives once it is named the latest, and by its own name before', async () => {
  process.env.ARTIFACTS_BUCKET = target.bucket;
  const download = await loadRoute('utility/download-agent');
  await uploadRelease(target, builtRelease());

  expect(await download()).toMatchObject({ status: 404 });
  expect(await download({ query: { release } })).toMatchObject({
    status: 302,
    headers: { location: `/artifacts/${key}` },
  });
  await nameLatest(target, release);

  expect(await download()).toMatchObject({ status: 302, headers: { location: `/artifacts/${key}` } });
});
