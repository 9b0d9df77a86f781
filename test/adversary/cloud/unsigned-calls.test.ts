import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { presignUrl, type RequestToSign } from '../../../lambdas/shared/presign-url.js';
import { frontSecretHeader } from '../../../local/access/keys.js';
import { callAws, signedRequest } from '../../../local/access/signature.js';
import { Aws } from '../../../local/aws.js';
import { rawRequest } from '../../support/raw-request.js';
import { accountCalls } from './account-calls.js';
import { effectsOf } from './account-effects.js';

const deployed = inject('cloud');
const { endpoint, ec2Url, url: front, codeHostUrl, keys } = deployed;
const unsigned = { status: 403, text: 'The request is not signed with the key of this laptop cloud.\n' };
const foreignPage = { status: 403, text: 'Pages of other origins are not served here.\n' };
const unknownName = { status: 403, text: 'This name is not served here.\n' };
const signing = [
  ['the emulator', endpoint],
  ['the EC2 stand-in', ec2Url],
] as const;

async function answerOf(sent: Promise<Response>) {
  const response = await sent;
  return { status: response.status, text: await response.text() };
}

describe.each(signing)('without a browser, %s', (_name, origin) => {
  const identity = {
    service: 'ec2',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Action=DescribeVpcs&Version=2016-11-15',
  };
  const access = { endpoint: origin, keys };
  const call = (headers: Readonly<Record<string, string>>) =>
    answerOf(callAws(access, { ...identity, headers: { ...identity.headers, ...headers } }));

  it.each(Object.entries(accountCalls))('does not serve who %s unsigned', async (_what, sent) => {
    const { status, text, headers } = await rawRequest(origin, sent);

    expect({ status, text }).toEqual(unsigned);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('has changed nothing', async () => {
    expect(await effectsOf(deployed)).toEqual([]);
  });

  it.each([
    ['the key test', { accessKeyId: 'test', secretAccessKey: 'test' }],
    ['another secret', { secretAccessKey: 'test' }],
    ['another key id', { accessKeyId: 'test' }],
  ])('does not serve %s', async (_what, other) => {
    const attempt = callAws({ endpoint: origin, keys: { ...keys, ...other } }, identity);

    expect(await answerOf(attempt)).toEqual(unsigned);
  });

  it.each([
    [{ origin: 'http://evil.localhost' }],
    [{ origin: 'null' }],
    [{ origin: front }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('serves no page, though the call is signed: %j', async (headers) => {
    expect((await call({})).status).toBe(200);
    expect(await call(headers)).toEqual(foreignPage);
  });

  it.each([
    ...['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example'],
    ...['local:1host', 'localhost.', '127.1', '[::1].evil.example', 'localhost, evil.example'],
  ])('does not serve the name %j', async (host) => {
    expect(await rawRequest(origin, { headers: { host } })).toMatchObject(unknownName);
  });

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:80', '[::1]:8787'])(
    'reads the signature of a call to its name %j',
    async (host) => {
      expect(await rawRequest(origin, { headers: { host } })).toMatchObject(unsigned);
    },
  );

  it('does not serve a signed call whose body was changed', async () => {
    const sent = signedRequest(access, identity);

    const changed = { ...sent, body: sent.body.replace('DescribeVpcs', 'DescribeHosts') };

    expect(await rawRequest(origin, sent)).toMatchObject({ status: 200 });
    expect(await rawRequest(origin, changed)).toMatchObject(unsigned);
  });
});

describe('a presigned address of the emulator', () => {
  const bucket = 'presigned-addresses';
  const object = { method: 'GET', url: new URL(`${endpoint}/${bucket}/one`) } as const;

  beforeAll(async () => {
    using aws = new Aws(deployed);
    await aws.s3.send(new CreateBucketCommand({ Bucket: bucket }));
    await aws.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'one', Body: 'one' }));
  });

  const presign = (over: Partial<RequestToSign> = {}) =>
    presignUrl({
      ...{ ...object, headers: {}, region: 'us-east-1', credentials: keys, expiresInSeconds: 60 },
      now: new Date(),
      ...over,
    });
  const pathOf = (address: string) => address.slice(endpoint.length);

  it('opens its object, for the console by its origin alone', async () => {
    const path = pathOf(presign());

    const plain = await rawRequest(endpoint, { path });
    const console = await rawRequest(endpoint, { path, headers: { origin: front } });
    const evil = await rawRequest(endpoint, { path, headers: { origin: 'http://evil.localhost' } });

    expect(plain).toMatchObject({ status: 200, text: 'one' });
    expect(plain.headers['access-control-allow-origin']).toBeUndefined();
    expect(console).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': front } });
    expect(evil).toMatchObject(foreignPage);
  });

  it('is opened to the console for an upload, before it is signed for', async () => {
    const path = pathOf(presign({ method: 'PUT' }));
    const asked = { method: 'OPTIONS', path };

    const console = await rawRequest(endpoint, { ...asked, headers: { origin: front } });
    const evil = await rawRequest(endpoint, { ...asked, headers: { origin: 'http://evil.localhost' } });

    expect(console).toMatchObject({ status: 204, headers: { 'access-control-allow-methods': 'GET, PUT' } });
    expect(evil).toMatchObject(foreignPage);
  });

  it.each<[string, Partial<RequestToSign>]>([
    ['has expired', { now: new Date(Date.now() - 61_000) }],
    ['is for later', { now: new Date(Date.now() + 3_600_000) }],
    ['lives too long', { expiresInSeconds: 8 * 24 * 3_600 }],
    ['has the key test', { credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }],
    ['has another secret', { credentials: { ...keys, secretAccessKey: 'test' } }],
    ['is for another method', { method: 'PUT' }],
    ['is for another object', { url: new URL(`${endpoint}/${bucket}/two`) }],
  ])('opens nothing when it %s', async (_what, over) => {
    const { search } = new URL(presign(over));

    expect(await rawRequest(endpoint, { path: `/${bucket}/one${search}` })).toMatchObject(unsigned);
  });

  it.each([
    ['x-amz-copy-source', '/other/secret'],
    ['x-amz-target', 'DynamoDB_20120810.ListTables'],
    ['authorization', 'Bearer x Credential=a/b/c/dynamodb/'],
  ])('becomes no other request by the header %s', async (name, value) => {
    const path = pathOf(presign());

    expect(await rawRequest(endpoint, { path, headers: { [name]: value } })).toMatchObject(unsigned);
  });
});

describe('the APIs at the emulator', () => {
  const path = '/_aws/execute-api/any/$default/health';
  const connections = '/_aws/execute-api/any/live/@connections/x';

  it('are open to the secret of the front, which opens nothing else', async () => {
    const headers = { [frontSecretHeader]: keys.frontSecret };

    expect((await rawRequest(endpoint, { path, headers })).status).toBe(404);
    for (const other of ['/', connections, '/_ministack/health', '/2015-03-31/functions/'])
      expect(await rawRequest(endpoint, { path: other, headers }), other).toMatchObject(unsigned);
    expect(await rawRequest(endpoint, { path, headers: { ...headers, host: 'evil' } })).toMatchObject(
      unknownName,
    );
  });

  it('are closed to any other secret, also for a WebSocket', async () => {
    const headers = { [frontSecretHeader]: 'guessed' };
    const upgrade = {
      ...{ connection: 'Upgrade', upgrade: 'websocket' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
    };

    expect(await rawRequest(endpoint, { path, headers })).toMatchObject(unsigned);
    expect(
      await rawRequest(endpoint, { path: '/_aws/execute-api/any/live', headers: { ...headers, ...upgrade } }),
    ).toMatchObject({ status: 403 });
  });
});

describe('without a browser, the other ports', () => {
  it.each([
    ['the front', front],
    ['the code host', codeHostUrl],
  ])('%s does not serve another name', async (_name, origin) => {
    for (const host of ['evil.example', 'ws-01j0000000000000000000000a.localhost.evil.example'])
      expect(await rawRequest(origin, { headers: { host } }), host).toMatchObject(unknownName);
  });

  it.each([
    [{ origin: 'http://evil.localhost' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('the code host serves no page of another origin: %j', async (headers) => {
    expect(await rawRequest(codeHostUrl, { headers })).toMatchObject(foreignPage);
  });

  it('the code host opens in a tab from a link of the console', async () => {
    const visit = {
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };

    expect((await rawRequest(codeHostUrl, { headers: visit })).status).toBe(200);
    expect(await rawRequest(codeHostUrl, { method: 'POST', headers: visit })).toMatchObject(foreignPage);
  });
});
