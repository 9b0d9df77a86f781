import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KMSClient } from '@aws-sdk/client-kms';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { KmsSigningKeys } from '../../../lambdas/shared/kms-signing-keys.js';
import { manifestOf } from '../../../scripts/agent-binaries/manifest.js';
import { runTool } from '../../../scripts/agent-binaries/run-tool.js';
import { sbomOf } from '../../../scripts/agent-binaries/sbom.js';
import { type SignedRelease, signRelease } from '../../../scripts/agent-binaries/sign-release.js';
import {
  nameLatest,
  type ReleaseTarget,
  uploadRelease,
} from '../../../scripts/agent-binaries/upload-release.js';
import { loadRoute } from '../../support/invoke.js';
import { createSigningKey } from '../../support/keys.js';

const release = '89abcdef0123456789abcdef0123456789abcdef';
const key = `agents/${release}/vm-agent-linux-amd64`;
const verifyAgent = fileURLToPath(
  new URL('../../../ami/files/usr/local/lib/berth/verify-agent.mjs', import.meta.url),
);
let target: ReleaseTarget;
let signer: KmsSigningKeys;

beforeAll(async () => {
  signer = new KmsSigningKeys(new KMSClient({}), [await createSigningKey()], 'berth');
});

beforeEach(async () => {
  target = { s3: new S3Client({}), bucket: `artifacts-${randomUUID()}` };
  await target.s3.send(new CreateBucketCommand({ Bucket: target.bucket }));
});

/** A release of one binary with dummy bytes. */
async function builtRelease(content = 'agent', isModified = false): Promise<SignedRelease> {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const file = 'vm-agent-linux-amd64';
  const sha256 = createHash('sha256').update(content).digest('hex');
  const binary = { os: 'linux', arch: 'amd64', file, size: content.length, sha256 } as const;
  const manifest = manifestOf({ id: release, isModified }, [binary]);
  writeFileSync(join(folder, file), content);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'sbom.cdx.json'), JSON.stringify(sbomOf({ id: release, isModified }, '1')));
  return signRelease({ folder, manifest }, signer);
}

const keys = async () => {
  const { Contents } = await target.s3.send(new ListObjectsV2Command({ Bucket: target.bucket }));
  return (Contents ?? []).map(({ Key }) => Key);
};

it('publishes binaries, manifest and SBOM as immutable, cacheable objects', async () => {
  expect(await uploadRelease(target, await builtRelease())).toEqual({ uploaded: 1 });

  const documents = ['manifest.json', 'manifest.jws', 'sbom.cdx.json'].map(
    (name) => `agents/${release}/${name}`,
  );
  expect(await keys()).toEqual([...documents, key]);
  const head = await target.s3.send(new HeadObjectCommand({ Bucket: target.bucket, Key: key }));
  expect(head).toMatchObject({
    ContentType: 'application/octet-stream',
    ContentDisposition: 'attachment; filename="vm-agent-linux-amd64"',
    CacheControl: 'public, max-age=31536000, immutable',
  });
});

it("publishes a signature by the deployment’s KMS key that the node's check accepts", async () => {
  const { folder } = await builtRelease();
  await uploadRelease(target, await builtRelease());
  for (const name of ['vm-agent-linux-amd64', 'manifest.jws']) {
    const Key = `agents/${release}/${name}`;
    const { Body } = await target.s3.send(new GetObjectCommand({ Bucket: target.bucket, Key }));
    writeFileSync(join(folder, name), (await Body?.transformToByteArray()) ?? '');
  }
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys: await signer.publicKeys() }));

  const said = await runTool(process.execPath, [
    verifyAgent,
    `--binary=${join(folder, 'vm-agent-linux-amd64')}`,
    `--signature=${join(folder, 'manifest.jws')}`,
    `--keys=${join(folder, 'jwks.json')}`,
    ...[`--release=${release}`, '--platform=linux-amd64'],
  ]);

  expect(said).toContain(`is linux-amd64 of release ${release}`);
});

it('replaces only the signature when a release is repeated after a key rotation', async () => {
  await uploadRelease(target, await builtRelease());
  signer = new KmsSigningKeys(new KMSClient({}), [await createSigningKey()], 'berth');

  const rotated = await builtRelease();
  expect(await uploadRelease(target, rotated)).toEqual({ uploaded: 0 });

  const { Body } = await target.s3.send(
    new GetObjectCommand({ Bucket: target.bucket, Key: `agents/${release}/manifest.jws` }),
  );
  expect(await Body?.transformToString()).toBe(rotated.signature);
});

it('uploads nothing twice', async () => {
  const built = await builtRelease();
  await uploadRelease(target, built);

  expect(await uploadRelease(target, built)).toEqual({ uploaded: 0 });
});

it('never changes published objects', async () => {
  await uploadRelease(target, await builtRelease());

  await expect(uploadRelease(target, await builtRelease('other'))).rejects.toThrow(
    'published before, with other bytes',
  );
});

it('publishes neither changed files nor a binary that its manifest does not describe', async () => {
  const broken = await builtRelease();
  writeFileSync(join(broken.folder, 'vm-agent-linux-amd64'), 'cut');

  await expect(uploadRelease(target, await builtRelease('agent', true))).rejects.toThrow('changed files');
  await expect(uploadRelease(target, broken)).rejects.toThrow('not what its manifest says');
  expect(await keys()).toEqual([]);
});

it('is served by its commit, and as latest once it is named so', async () => {
  process.env.ARTIFACTS_BUCKET = target.bucket;
  const download = await loadRoute('utility/download-agent');
  await uploadRelease(target, await builtRelease());

  expect(await download()).toMatchObject({ status: 404 });
  expect(await download({ query: { release } })).toMatchObject({
    status: 302,
    headers: { location: `/artifacts/${key}` },
  });
  await nameLatest(target, release);

  expect(await download()).toMatchObject({ status: 302, headers: { location: `/artifacts/${key}` } });
});
