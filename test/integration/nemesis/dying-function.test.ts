import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';

const preload = new URL('../../nemesis/cloud/channels/dying-function.mjs', import.meta.url).href;
/** A function with two table writes. */
const code = `
  import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
  const client = new DynamoDBClient({ maxAttempts: 2 });
  const item = { Delete: { TableName: 't', Key: { pk: { S: 'a' } } } };
  for (const _ of [1, 2]) {
    const sent = client.send(new TransactWriteItemsCommand({ TransactItems: [item, item] }));
    console.log(await sent.then(({ $metadata }) => $metadata.attempts, ({ name }) => name));
  }
`;

let folder: string;
let served: number;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    served += 1;
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
  });
});

beforeEach(async () => {
  served = 0;
  folder = mkdtempSync(join(tmpdir(), 'berth-dying-'));
  for (const part of ['orders', 'taken', 'done']) mkdirSync(join(folder, part));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

async function run(order?: string) {
  if (order) writeFileSync(join(folder, 'orders', order), '');
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [`--import=${preload}`, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...{ NEMESIS_FOLDER: folder, POWERTOOLS_SERVICE_NAME: 'http/mcp/call' },
      ...{ AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_REGION: 'us-east-1' },
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    },
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { printed: printed.split('\n').filter(Boolean), signal: child.signalCode };
}

it.each([
  ['nothing', undefined, { printed: ['1', '1'], signal: null }, 2],
  ['a fault of another function', 'streams.live 0 before 1', { printed: ['1', '1'], signal: null }, 2],
  ['the end before a write', 'http.mcp.call 1 before 1', { printed: ['1'], signal: 'SIGKILL' }, 1],
  ['the end after a write', 'http.mcp.call 0 after 1', { printed: [], signal: 'SIGKILL' }, 1],
  ['a lost answer', 'http.mcp.call 0 lost_answer 1', { printed: ['2', '1'], signal: null }, 3],
  ['a throttled write', 'http.mcp.call 1 throttle 1', { printed: ['1', '2'], signal: null }, 2],
  [
    'a conflict',
    'http.mcp.call 0 conflict 1',
    { printed: ['TransactionCanceledException', '1'], signal: null },
    1,
  ],
])('gives a function %s', async (_what, order, outcome, writes) => {
  expect(await run(order)).toEqual(outcome);
  expect(served).toBe(writes);
});
