import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { reportedByNodeId, serveCertificate } from '../../../agent/src/http/served-certificates.js';
import { makeCertificate } from '../../../agent/src/node/make-certificate.js';
import { callNode } from '../../../lambdas/domain/node-client/call-node.js';
import type { NodeAddress } from '../../../lambdas/domain/node-client/node-address.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { NodeStub } from './node-stub.js';

let stub: NodeStub;
/** Accepts connections and sends nothing, as a machine that hangs. */
let mute: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  stub = await NodeStub.start();
  mute = createServer((socket) => sockets.add(socket));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  mute.close();
  await stub[Symbol.asyncDispose]();
});
beforeEach(() => {
  stub.requests = [];
});
afterEach(() => {
  stub.onRequest = async () => undefined;
});

/** Each test has its own node, because the circuit breaker keeps state per node. */
const nodeAt = (port: number): NodeAddress => ({
  nodeId: newId(),
  url: `https://127.0.0.1:${port}`,
  certificatePem: stub.certificatePem,
});
const call = (address: NodeAddress, timeoutMs = 10_000) =>
  callNode(address, {
    method: 'POST',
    path: '/deed/stop',
    body: {},
    token: 'token',
    timeoutMs,
    reply: z.object({ status: z.string() }),
  });
const failure = (address: NodeAddress, timeoutMs?: number) =>
  call(address, timeoutMs).then(
    () => {
      throw new Error('It has answered');
    },
    (error: unknown) => error,
  );

describe('a node that refuses connections', () => {
  it('has not acted, and gets no calls after three failures', async () => {
    const address = nodeAt(await freePortRange(1));

    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await failure(address)).toMatchObject({
        message: 'The node did not answer',
        mayHaveActed: false,
      });

    expect(await failure(address)).toMatchObject({
      name: 'NodeUnreachable',
      message: 'The node did not answer recent calls',
      mayHaveActed: false,
      retryAfter: 5,
    });
  });
});

describe('a machine that accepts connections and stays silent', () => {
  it('has not acted, and the call fails long before its timeout', async () => {
    // The port is known only after `listen` has succeeded.
    const { port } = mute.address() as AddressInfo;

    expect(await failure(nodeAt(port), 60_000)).toMatchObject({
      mayHaveActed: false,
      cause: expect.objectContaining({ message: 'No TLS connection within the time-out' }),
    });
  });
});

describe('a slow node', () => {
  it('may have acted when its reply is late', async () => {
    stub.onRequest = () => new Promise(() => undefined);

    const error = await failure(nodeAt(stub.place.port), 2_000);

    expect(error).toMatchObject({ name: 'NodeUnreachable', mayHaveActed: true });
    expect(stub.seen).toEqual(['POST /deed/stop']);
  });

  it('gets every call while it answers every third one', async () => {
    const address = nodeAt(stub.place.port);
    const slowly = () => new Promise<never>(() => undefined);

    for (const answer of [slowly, slowly, async () => undefined, slowly, slowly, async () => undefined]) {
      stub.onRequest = answer;
      await call(address, 1_500).catch(() => undefined);
    }

    expect(stub.requests).toHaveLength(6);
  });

  it('never gets the same call twice', async () => {
    stub.onRequest = async () => ({ status: 503, body: { error: 'unavailable' } });

    expect(await failure(nodeAt(stub.place.port))).toMatchObject({ message: 'The node answered 503' });

    expect(stub.requests).toHaveLength(1);
  });
});

describe('a node that answers', () => {
  it('is not trusted with another certificate than its own', async () => {
    const { certificatePem } = await stranger();

    expect(await failure({ ...nodeAt(stub.place.port), certificatePem })).toMatchObject({
      mayHaveActed: false,
    });
    expect(stub.seen).toEqual([]);
  });

  it('is trusted by the certificate that it reported while browsers get another', async () => {
    const nodeId = newId();
    const [own, issued] = [makeCertificate(nodeId), makeCertificate('issued')];
    const server = createTlsServer({ SNICallback: reportedByNodeId(nodeId, own) }, (_, response) =>
      response.end(JSON.stringify({ status: 'stopped' })),
    );
    serveCertificate(server, issued);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const address = { nodeId, url: `https://127.0.0.1:${port}`, certificatePem: own.certificatePem };

    await expect(call(address)).resolves.toEqual({ status: 'stopped' });
    expect(await failure({ ...address, certificatePem: issued.certificatePem })).toMatchObject({
      mayHaveActed: false,
    });

    server.close();
  });

  it('is refused when its reply exceeds the limit', async () => {
    stub.onRequest = async () => ({ status: 200, body: { status: 'x'.repeat(300_000) } });

    await expect(call(nodeAt(stub.place.port))).rejects.toMatchObject({
      message: 'The reply of the node is too long',
    });
  });
});

async function stranger(): Promise<NodeStub> {
  const other = await NodeStub.start();
  await other[Symbol.asyncDispose]();
  return other;
}
