import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { Unavailable } from '../../shared/errors.js';
import { transact } from './transact.js';

const write = { put: { pk: 'A', sk: 'A' }, when: {} };

/** A table on whose items other transactions are at work, for so many calls. */
function busyFor(times: number) {
  let calls = 0;
  const send = async () => {
    calls += 1;
    if (calls > times) return {};
    throw new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata: {},
      CancellationReasons: [{ Code: 'TransactionConflict' }],
    });
  };
  // Of the client only this is called.
  const client = { send } as unknown as DynamoDBDocumentClient;
  return { table: { client, name: 'table' }, calls: () => calls };
}

it('is tried again when it meets another transaction', async () => {
  const { table, calls } = busyFor(3);

  expect(await transact(table, [write])).toEqual({ committed: true });
  expect(calls()).toBe(4);
});

it('asks to be repeated when it meets others each time', async () => {
  const { table, calls } = busyFor(Number.POSITIVE_INFINITY);

  await expect(transact(table, [write])).rejects.toBeInstanceOf(Unavailable);
  expect(calls()).toBe(4);
});
