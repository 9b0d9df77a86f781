import { createHash } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { algorithm, canonicalQuery, presignUrl, signatureV4 } from '../../../lambdas/shared/presign-url.js';
import { Aws } from '../../../local/aws.js';
import { rawRequest } from '../../support/raw-request.js';

// Calls that the keys did sign, but in a form that AWS does not take.

const deployed = inject('cloud');
const { endpoint, ec2Url, keys } = deployed;
const refused = { status: 403, text: 'The request is not signed with the key of this laptop cloud.\n' };
const minute = 60_000;
const body = 'Action=DescribeVpcs&Version=2016-11-15';
const stamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

interface Forgery {
  readonly at: string;
  readonly day: string;
  readonly names: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly algorithm: string;
  /** Replaces what was computed. */
  readonly signature: string;
  readonly sent: string;
}

const twentyMinutes = 20 * minute;
const forgeries: readonly (readonly [what: string, over: () => Partial<Forgery>])[] = [
  ['twenty minutes ago', () => ({ at: stamp(Date.now() - twentyMinutes) })],
  ['for twenty minutes later', () => ({ at: stamp(Date.now() + twentyMinutes) })],
  ['at no time', () => ({ at: 'soon' })],
  ['on another day', () => ({ day: '20200101' })],
  ['without its host', () => ({ names: ['content-type', 'x-amz-date'] })],
  ['by another algorithm', () => ({ algorithm: 'AWS4-HMAC-SHA512' })],
  ['with what is no signature', () => ({ signature: `${'0'.repeat(63)}é` })],
  ['with the hash of another body', () => ({ headers: { 'x-amz-content-sha256': hashOf(body) }, sent: 'x' })],
];

/** A call of EC2, signed as asked. */
function signedCall(origin: string, over: Partial<Forgery>) {
  const { at = stamp(Date.now()), day = at.slice(0, 8), sent = body } = over;
  const headers: Readonly<Record<string, string>> = {
    'content-type': 'application/x-www-form-urlencoded',
    host: new URL(origin).host,
    'x-amz-date': at,
    ...over.headers,
  };
  const names = over.names ?? Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name]}`);
  const request = ['POST', '/', '', ...lines, '', names.join(';'), hashOf(body)].join('\n');
  const scope = `${day}/us-east-1/ec2/aws4_request`;
  const { signature = signatureV4(request, { at, scope, ...keys }) } = over;
  const credential = `Credential=${keys.accessKeyId}/${scope}`;
  const authorization = `${over.algorithm ?? algorithm} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return rawRequest(origin, { method: 'POST', headers: { ...headers, authorization }, body: sent });
}

describe.each([
  ['the emulator', endpoint],
  ['the EC2 stand-in', ec2Url],
] as const)('%s', (_name, origin) => {
  it('takes a call that is signed as AWS takes it', async () => {
    expect((await signedCall(origin, {})).status).toBe(200);
  });

  it.each(forgeries)('takes no call that was signed %s', async (_what, over) => {
    expect(await signedCall(origin, over())).toMatchObject(refused);
  });
});

describe('a presigned address of the emulator', () => {
  const bucket = 'forged-signatures';
  const url = new URL(`${endpoint}/${bucket}/one`);
  const presigned = () => {
    const when = { expiresInSeconds: 60, now: new Date() };
    const address = presignUrl({
      ...{ method: 'GET', url, headers: {}, region: 'us-east-1', credentials: keys },
      ...when,
    });
    return address.slice(endpoint.length);
  };

  beforeAll(async () => {
    using aws = new Aws(deployed);
    await aws.s3.send(new CreateBucketCommand({ Bucket: bucket }));
    await aws.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'one', Body: 'one' }));
  });

  it.each([
    ['X-Amz-Date', 'soon'],
    ['X-Amz-Expires', 'later'],
    ['X-Amz-Expires', '-1'],
    ['X-Amz-SignedHeaders', ''],
    ['X-Amz-Signature', ''],
  ])('opens nothing with the %s %j', async (name, value) => {
    expect((await rawRequest(endpoint, { path: presigned() })).status).toBe(200);

    const [path = '', query] = presigned().split('?');
    const parameters = new URLSearchParams(query);
    parameters.set(name, value);

    expect(await rawRequest(endpoint, { path: `${path}?${parameters}` })).toMatchObject(refused);
  });

  it('takes no other way of signing beside its own', async () => {
    const headers = { authorization: 'Bearer x' };

    expect(await rawRequest(endpoint, { path: presigned(), headers })).toMatchObject(refused);
  });

  it('reads no object by a method that is sent beside the real one', async () => {
    const headers = { 'x-http-method-override': 'DELETE' };

    expect((await rawRequest(endpoint, { path: presigned(), headers })).status).toBe(200);
    expect((await rawRequest(endpoint, { path: presigned() })).status).toBe(200);
  });

  it('calls no other service', async () => {
    const at = stamp(Date.now());
    const scope = `${at.slice(0, 8)}/us-east-1/sts/aws4_request`;
    const query = canonicalQuery({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': algorithm,
      'X-Amz-Credential': `${keys.accessKeyId}/${scope}`,
      'X-Amz-Date': at,
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host',
    });
    const lines = ['GET', '/', query, `host:${url.host}`, '', 'host', hashOf('')];
    const signature = signatureV4(lines.join('\n'), { at, scope, ...keys });

    const path = `/?${query}&X-Amz-Signature=${signature}`;

    expect(await rawRequest(endpoint, { path })).toMatchObject(refused);
  });
});
