import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { PreviewNode, previewNetworks } from './preview-node.js';

const [standalone] = previewNetworks;
let node: PreviewNode;

beforeAll(async () => {
  if (standalone) node = await PreviewNode.start(standalone);
});
afterAll(() => node[Symbol.asyncDispose]());

it('breaks a response off, without an error in its body, when the bytes after its request are invalid', async () => {
  const id = await node.workspace();
  const path = `/workspaces/${id}/ports/${await node.serve(id)}/events`;
  const socket = connect({ host: '127.0.0.1', port: node.agent.port, ca: node.agent.certificate() });
  let answer = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      answer += chunk;
    });
  await once(socket, 'secureConnect');
  const token = await node.fake.terminal(id);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: node\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await until('the answer begins', () => answer.includes('data: first') || undefined);

  socket.write('rubbish\r\n\r\n');
  await once(socket, 'close');

  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});
