import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { Unavailable } from './errors.js';
import { openTable } from './open-table.js';

interface Answer {
  readonly type: string;
  readonly reasons?: readonly string[];
}

const key = { pk: 'A', sk: 'A' };
const update = new UpdateCommand({ TableName: 'table', Key: key });
const transaction = new TransactWriteCommand({
  TransactItems: [{ Delete: { TableName: 'table', Key: key } }],
});

let closing = new DisposableStack();
afterEach(() => {
  vi.unstubAllEnvs();
  closing.dispose();
  closing = new DisposableStack();
});

/** A table whose first calls are refused with this error. */
async function refusing(times: number, { type, reasons }: Answer) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    calls += 1;
    const refusal = {
      __type: `com.amazonaws.dynamodb.v20120810#${type}`,
      CancellationReasons: reasons?.map((Code) => ({ Code })),
    };
    response.writeHead(calls > times ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(calls > times ? {} : refusal));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { ...openTable('table'), calls: () => calls };
}

it.each(['TransactionConflictException', 'ProvisionedThroughputExceededException', 'ThrottlingException'])(
  'a single write that is refused with %s is sent again',
  async (type) => {
    const { client, calls } = await refusing(2, { type });

    await client.send(update);

    expect(calls()).toBe(3);
  },
);

it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
  'a transaction that is cancelled for %s alone is sent again',
  async (reason) => {
    const { client, calls } = await refusing(3, {
      type: 'TransactionCanceledException',
      reasons: ['None', reason],
    });

    await client.send(transaction);

    expect(calls()).toBe(4);
  },
);

it('a call that meets others five times answers that it can be repeated', async () => {
  const { client, calls } = await refusing(Number.POSITIVE_INFINITY, {
    type: 'TransactionConflictException',
  });

  await expect(client.send(update)).rejects.toBeInstanceOf(Unavailable);
  expect(calls()).toBe(5);
});

it('a failed condition is not repeated, also beside a conflict', async () => {
  const { client, calls } = await refusing(1, {
    type: 'TransactionCanceledException',
    reasons: ['ConditionalCheckFailed', 'TransactionConflict'],
  });

  await expect(client.send(transaction)).rejects.toThrow(
    expect.objectContaining({
      name: 'TransactionCanceledException',
    }),
  );
  expect(calls()).toBe(1);
});

it('a read of a table that does not exist is not repeated', async () => {
  const { client, calls } = await refusing(1, { type: 'ResourceNotFoundException' });

  await expect(client.send(new GetCommand({ TableName: 'table', Key: key }))).rejects.toThrow();
  expect(calls()).toBe(1);
});
