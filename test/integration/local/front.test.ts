import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { originSecretHeader } from '../../../lambdas/route-row.js';
import { frontSecretHeader } from '../../../local/access/keys.js';
import { CertificateAuthority } from '../../../local/certificate-authority.js';
import { Front } from '../../../local/front/front.js';
import { Objects } from '../../../local/front/objects.js';
import { freePort } from '../../../local/processes/ports.js';

const workspaceId = '01J0000000000000000000000A';
const workspaceHost = `ws-${workspaceId.toLowerCase()}.localhost`;

/** Answers with what reached it, and echoes WebSocket messages. */
function echoing(server: Server): Server {
  server.on('request', async (incoming: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method, url, headers } = incoming;
    response.writeHead(207, { 'content-type': 'application/json', 'x-own': 'kept' });
    response.end(JSON.stringify({ method, url, headers, body }));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url, headers }) => {
    socket.send(JSON.stringify({ url, headers }));
    socket.on('message', (data) => socket.send(`echo ${data}`));
  });
  return server;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

describe('the front address', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-front-'));
  const s3 = new S3Client({ forcePathStyle: true });
  const bucket = (name: string) => `front-${process.pid}-${name}`;
  let port: number;
  let front: Front;
  let emulator: Server;
  let node: Server;

  beforeAll(async () => {
    const authority = await CertificateAuthority.open(folder);
    const { certificatePem: cert, keyPem: key } = await authority.issue(['node.localhost']);
    emulator = echoing(createServer());
    node = echoing(createTlsServer({ cert, key }));
    const nodePort = await listening(node);
    port = await freePort();
    for (const name of ['console', 'artifacts'])
      await s3.send(new CreateBucketCommand({ Bucket: bucket(name) }));
    await s3.send(new PutObjectCommand({ Bucket: bucket('artifacts'), Key: 'agent/a', Body: 'bytes' }));
    front = new Front({
      port,
      emulatorPort: await listening(emulator),
      httpApiId: 'http1',
      webSocketApiId: 'sock1',
      originSecret: 'of-the-front',
      frontSecret: 'secret-of-the-front',
      objects: new Objects(s3, { console: bucket('console'), artifacts: bucket('artifacts') }),
      nodePort: async (id) => (id === workspaceId ? nodePort : undefined),
      nodeAuthority: authority.certificatePem,
    });
    await front.start();
  });
  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    for (const server of [emulator, node]) server?.close();
    s3.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  /** By the loopback address: the host is what the front must go by, whatever resolves it here. */
  function call(path: string, headers: Record<string, string> = {}, body?: string) {
    return new Promise<{ status: number; text: string; headers: IncomingMessage['headers'] }>(
      (resolve, reject) => {
        const method = body === undefined ? 'GET' : 'POST';
        const outgoing = request({ host: '127.0.0.1', port, path, method, headers }, async (answer) => {
          let text = '';
          for await (const chunk of answer) text += chunk;
          resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
        });
        outgoing.once('error', reject);
        outgoing.end(body);
      },
    );
  }

  async function converse(path: string, headers: Record<string, string>) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    const [first] = await once(socket, 'message');
    socket.send('hello');
    const [second] = await once(socket, 'message');
    socket.terminate();
    return { opened: JSON.parse(String(first)), echoed: String(second) };
  }

  it('gives calls of the API to the HTTP API, with cookies, body and answer as they are', async () => {
    const { status, text, headers } = await call(
      '/api/x?a=b',
      { cookie: '__Host-berth_session=s' },
      '{"n":1}',
    );

    expect([status, headers['x-own']]).toEqual([207, 'kept']);
    expect(JSON.parse(text)).toMatchObject({
      method: 'POST',
      url: '/_aws/execute-api/http1/$default/api/x?a=b',
      body: '{"n":1}',
      headers: { cookie: '__Host-berth_session=s' },
    });
  });

  it('proves itself to the APIs as CloudFront does, whatever a client claims, and to no node', async () => {
    const forged = {
      [originSecretHeader]: 'forged',
      [frontSecretHeader]: 'forged',
      'x-forwarded-for': '198.51.100.1',
    };
    const own = {
      [originSecretHeader]: 'of-the-front',
      [frontSecretHeader]: 'secret-of-the-front',
      'x-forwarded-for': '127.0.0.1',
    };

    const api = JSON.parse((await call('/api/x', forged)).text).headers;
    const live = (await converse('/live', forged)).opened.headers;
    const atNode = JSON.parse(
      (await call('/', { ...forged, host: `${workspaceHost}:${port}` })).text,
    ).headers;

    for (const headers of [api, live]) expect(headers).toMatchObject(own);
    expect(JSON.stringify(atNode)).not.toContain('of-the-front');
  });

  it('gives the live socket to the WebSocket API', async () => {
    const { opened, echoed } = await converse('/live', { cookie: '__Host-berth_session=s' });

    expect(opened.url).toBe('/_aws/execute-api/sock1/live');
    expect(opened.headers.cookie).toBe('__Host-berth_session=s');
    expect(echoed).toBe('echo hello');
  });

  it('gives a workspace its requests over TLS, without the cookies of the platform', async () => {
    const cookie = '__Host-berth_session=s; own=1';

    const byHost = await call('/api/x?a=b', { host: workspaceHost, cookie });
    const byPath = await call(`/ws/${workspaceId}/api/x?a=b`, { cookie });

    for (const { text } of [byHost, byPath]) {
      expect(JSON.parse(text)).toMatchObject({ url: '/api/x?a=b', headers: { cookie: 'own=1' } });
    }
    expect(JSON.parse(byHost.text).headers.host).toBe(workspaceHost);
  });

  it('gives what a workspace serves at its own address only, never at that of the console', async () => {
    const path = `/workspaces/${workspaceId}/ports/3000/`;

    expect(JSON.parse((await call(path, { host: workspaceHost })).text)).toMatchObject({ url: path });
    expect(await call(`/ws/${workspaceId}${path}`)).toMatchObject({ status: 404 });
  });

  it('gives a workspace its WebSockets, without the cookies of the platform', async () => {
    const { opened, echoed } = await converse('/terminal/ws/multi?token=t', {
      host: workspaceHost,
      cookie: '__Host-berth_session=s',
    });

    expect(opened.url).toBe('/terminal/ws/multi?token=t');
    expect(opened.headers.cookie).toBeUndefined();
    expect(echoed).toBe('echo hello');
  });

  it('opens no tunnel for any other protocol', async () => {
    const { status } = await call('/health', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' });

    expect(status).toBe(400);
  });

  it('answers 404 for a workspace that no node holds, also to a WebSocket', async () => {
    const host = `ws-${'0'.repeat(26)}.localhost`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/x`, { headers: { host } });
    socket.on('error', () => undefined);

    const [, refused] = await once(socket, 'unexpected-response');

    expect(refused.statusCode).toBe(404);
    expect(await call('/', { host })).toMatchObject({ status: 404 });
  });

  it('serves artefacts by their key, and says when there is none', async () => {
    expect(await call('/artifacts/agent/a')).toMatchObject({ status: 200, text: 'bytes' });
    expect(await call('/artifacts/agent/b')).toMatchObject({ status: 404 });
  });

  it('states that the console is not built, then serves it, its pages under any path', async () => {
    expect((await call('/')).text).toContain('its console is not built');
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket('console'),
        Key: 'index.html',
        Body: 'a page',
        ContentType: 'text/html',
      }),
    );

    expect((await call('/workspaces/1')).text).toBe('a page');
    expect(await call('/missing.js')).toMatchObject({ status: 404 });
  });

  it('compresses large texts of the console for browsers that accept it', async () => {
    const Body = 'the same words '.repeat(1_000);
    for (const [Key, ContentType] of [
      ['large.js', 'text/javascript'],
      ['large.bin', 'application/octet-stream'],
    ])
      await s3.send(new PutObjectCommand({ Bucket: bucket('console'), Key, Body, ContentType }));
    const read = async (path: string, encoding: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'accept-encoding': encoding },
      });
      return [response.headers.get('content-encoding'), (await response.text()) === Body];
    };

    expect(await read('/large.js', 'gzip, br')).toEqual(['br', true]);
    expect(await read('/large.js', 'gzip')).toEqual([null, true]);
    expect(await read('/large.bin', 'gzip, br')).toEqual([null, true]);
  });
});
