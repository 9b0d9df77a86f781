import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';

let fake: FakeControlPlane;
let agent: AgentProcess;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', HTTP_READ_TIMEOUT: '1s' });
  await agent.start();
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

async function open(more: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: agent.port, ca: agent.certificate(), ...more });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** All that is answered until the agent ends the connection. */
async function answerOf(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  // An error before it, of a client that still writes, is an end as well.
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const stillServes = async () =>
  expect(await agent.call('GET', '/health', null)).toEqual({ status: 200, body: { status: 'healthy' } });

describe('the agent withstands', () => {
  it.each([
    ['a header', `x-long: ${'a'.repeat(40_000)}`],
    ['many headers', Array.from({ length: 3_000 }, (_, index) => `x-${index}: a`).join('\r\n')],
  ])('%s beyond all size', async (_, header) => {
    const socket = await open();
    socket.write(`GET /health HTTP/1.1\r\nhost: node\r\n${header}\r\n\r\n`);
    const answer = await answerOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('{"error":"invalid_request","message":"Request Header Fields Too Large"}');
    await stillServes();
  });

  it('headers beyond all size from a client that says all of them before it listens', async () => {
    const socket = await open();
    socket.write('GET /health HTTP/1.1\r\nhost: node\r\n');
    for (let index = 0; index < 40; index++) {
      socket.write(`x-${index}: ${'a'.repeat(8_000)}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    ['a stranger’s upload', 'files/upload', 'multipart/form-data; boundary=B', 401],
    ['a body for a port', 'ports/3000/', 'text/plain', 401],
    ['a body for what is not there', 'nothing', 'text/plain', 404],
  ])('%s whose client says much before it listens', async (_, route, type, status) => {
    const socket = await open();
    const head = `POST /workspaces/${ulid()}/${route} HTTP/1.1\r\nhost: node\r\ncontent-type: ${type}`;
    socket.write(`${head}\r\ncontent-length: 50000000\r\n\r\n`);
    for (let index = 0; index < 20; index++) {
      socket.write('a'.repeat(100_000));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await answerOf(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('an address beyond all size', async () => {
    const socket = await open();
    socket.write(`GET /workspaces/${'a'.repeat(40_000)} HTTP/1.1\r\nhost: node\r\n\r\n`);
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 431 /);
    await stillServes();
  });

  it.each([
    'rubbish\r\n\r\n',
    'GET /health HTTP/9.9\r\n\r\n',
    'GET /health HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'POST /workspaces HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
    'GET /health HTTP/1.1\r\nhost: a\r\nx-null: a\0b\r\n\r\n',
  ])('what is no request: %j', async (text) => {
    const socket = await open();
    socket.write(text);
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 .*"error":"invalid_request"/s);
    await stillServes();
  });

  it('headers that come too slowly, on many connections at once', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open()));
    const dripping = sockets.map((socket) => {
      socket.write('GET /health HTTP/1.1\r\n');
      return setInterval(() => socket.write('x-drip: a\r\n'), 200);
    });
    const answers = Promise.all(sockets.map(answerOf));
    await stillServes();
    for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1\.1 408 .*"error":"timed_out"/s);
    for (const timer of dripping) clearInterval(timer);
  });

  it.each([
    ['of JSON', 'POST /sessions/ended', 'application/json'],
    ['of a kind that nobody reads', 'POST /sessions/ended', 'text/plain'],
    ['of a form where none is taken', 'POST /workspaces', 'multipart/form-data; boundary=B'],
    ['for what has none', 'GET /containers', 'application/json'],
    ['for what is not there', 'PUT /nothing', 'application/octet-stream'],
  ])('a body %s that comes too slowly', async (_, line, type) => {
    const socket = await open();
    const head = `${line} HTTP/1.1\r\nhost: node\r\nauthorization: Bearer ${await fake.management()}`;
    socket.write(`${head}\r\ncontent-type: ${type}\r\ncontent-length: 5000\r\n\r\n{`);
    const timer = setInterval(() => socket.write(' '), 200);
    await answerOf(socket);
    clearInterval(timer);
    await stillServes();
  });

  it('clients that stay although their upgrade was refused', async () => {
    const socket = await open({ allowHalfOpen: true });
    socket.write('GET /terminal/ws?token=x HTTP/1.1\r\nhost: node\r\nconnection: upgrade\r\n');
    socket.write('upgrade: websocket\r\n\r\n');
    const timer = setInterval(() => socket.write('y'), 200);
    // It does not close by itself: what ends it is that the agent takes no more.
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(timer);
    await stillServes();
  });

  it('connections on which nothing is said, encrypted or not', async () => {
    const plain = connectPlain({ host: '127.0.0.1', port: agent.port });
    plain.on('error', () => undefined);
    const silent = await open();
    await Promise.all([once(plain, 'close'), answerOf(silent)]);
    await stillServes();
  });
});
