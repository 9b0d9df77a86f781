import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './preview-client.js';
import { PreviewNode, previewNetworks } from './preview-node.js';

describe.each(previewNetworks.slice(0, 1))('trailers that cannot follow, in previews of $name', (kind) => {
  let node: PreviewNode;
  let base: string;
  let authorization: string;

  beforeAll(async () => {
    node = await PreviewNode.start(kind);
    const id = await node.workspace();
    base = `/workspaces/${id}/ports/${await node.serve(id)}`;
    authorization = `Bearer ${await node.fake.terminal(id)}`;
  });
  afterAll(() => node[Symbol.asyncDispose]());

  it.each([
    ['GET', '200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\nhi', 200, 'hi'],
    ['HEAD', '200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n', 200, ''],
    ['GET', '204 Nothing\r\nTrailer: X-Sum\r\n\r\n', 204, ''],
    ['GET', '304 The same\r\nTrailer: X-Sum\r\n\r\n', 304, ''],
  ])('are not announced, and the answer comes: %s, %j', async (method, bytes, status, text) => {
    const path = `${base}/say?bytes=${encodeURIComponent(`HTTP/1.1 ${bytes}`)}`;

    const answer = await ask(node.agent, { method, path, headers: { authorization } });

    expect([answer.status, answer.text, answer.headers.trailer]).toEqual([status, text, undefined]);
  });

  it('are not announced to the service', async () => {
    const socket = connect({ host: '127.0.0.1', port: node.agent.port, ca: node.agent.certificate() });
    await once(socket, 'secureConnect');
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk;
    });
    socket.write(
      `POST ${base}/echo HTTP/1.0\r\nhost: node\r\nauthorization: ${authorization}\r\n` +
        'trailer: x-sum\r\ncontent-length: 2\r\n\r\nhi',
    );
    await once(socket, 'close');

    expect(answer).toMatch(/^HTTP\/1\.1 200 .*"body":"hi"/s);
    expect(answer).not.toMatch(/"trailer"/i);
  });
});
