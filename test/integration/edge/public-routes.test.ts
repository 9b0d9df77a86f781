import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';

const release = '0123456789abcdef0123456789abcdef01234567';

describe('the agent download', () => {
  let download: Invoke;

  beforeAll(async () => {
    const Bucket = `artifacts-${randomUUID()}`;
    const s3 = new S3Client({});
    await s3.send(new CreateBucketCommand({ Bucket }));
    const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    await put(`agents/${release}/vm-agent-linux-amd64`, 'x');
    await put('agents/latest.json', JSON.stringify({ release }));
    process.env.ARTIFACTS_BUCKET = Bucket;
    download = await loadRoute('utility/download-agent');
  });

  it('redirects to the latest for an hour and to a release permanently', async () => {
    const latest = await download();
    const pinned = await download({ query: { os: 'linux', arch: 'amd64', release } });

    expect(latest).toMatchObject({
      status: 302,
      headers: {
        location: `/artifacts/agents/${release}/vm-agent-linux-amd64`,
        'cache-control': 'public, max-age=3600',
      },
    });
    expect(pinned).toMatchObject({
      status: 302,
      headers: {
        location: `/artifacts/agents/${release}/vm-agent-linux-amd64`,
        'cache-control': 'public, max-age=31536000, immutable',
      },
    });
  });

  it.each([
    [{ release: release.toUpperCase() }, 400, 'INVALID_VERSION'],
    [{ release: `${release}0` }, 400, 'INVALID_VERSION'],
    [{ release: '../../secrets' }, 400, 'INVALID_VERSION'],
    [{ release: '' }, 400, 'INVALID_VERSION'],
    [{ os: 'windows' }, 400, 'INVALID_PLATFORM'],
    [{ arch: 'riscv' }, 400, 'INVALID_PLATFORM'],
    [{ arch: 'arm64' }, 404, 'NOT_FOUND'],
    [{ release: 'f'.repeat(40) }, 404, 'NOT_FOUND'],
    [{ platform: 'linux' }, 400, 'BAD_REQUEST'],
  ])('refuses %j', async (query, status, error) => {
    const reply = await download({ query });

    expect(reply).toMatchObject({ status, body: { error }, headers: { 'cache-control': 'no-store' } });
  });
});

describe('health', () => {
  it('is healthy while the table answers, and shows nothing else', async () => {
    const health = await loadRoute('utility/health');
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const calls = countCalls(table.client);

    const reply = await health();

    expect(reply).toMatchObject({ status: 200, body: { status: 'healthy' } });
    expect(Object.keys(reply.body as object).sort()).toEqual(['status', 'timestamp']);
    expect(calls.names.length).toBeLessThanOrEqual(1);
  });
});

describe('what is published', () => {
  it('are the public halves of the keys, for five minutes of cache', async () => {
    const jwks = await loadRoute('utility/jwks');

    const reply = await jwks();

    expect(reply.headers['cache-control']).toBe('public, max-age=300');
    expect(reply.body).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }] });
    expect(JSON.stringify(reply.body)).not.toContain('"d":');
  });

  it('is the API as a document and as a page', async () => {
    const openapi = await loadRoute('utility/openapi');
    const docs = await loadRoute('utility/docs');

    const document = await openapi();
    const page = await docs();

    expect(document.body).toMatchObject({ openapi: '3.1.0', paths: { '/health': { get: {} } } });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toContain('/api/projects/{projectId}');
  });
});
