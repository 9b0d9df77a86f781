import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from './errors.js';
import type { Table } from './table.js';

/** Of one call: with randomised pauses between them, at most 1.5 s in all. */
const maxAttempts = 5;

/**
 * The table of this name. Its client repeats calls that DynamoDB refuses because of other calls.
 */
export function openTable(name: string): Table {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isBusy(error) ? new Unavailable(busy, { cause: error }) : error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'busyIsUnavailable' },
  );
  // Inside of the SDK's retries, which repeat what has this mark.
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isBusy(error) ? Object.assign(error, { $retryable: {} }) : error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'busyIsRetryable' },
  );
  return { name, client };
}

const busy = 'Other requests changed the same records at this moment. Try again.';

const busyErrors: readonly unknown[] = [
  'TransactionConflictException',
  'TransactionInProgressException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
];

const busyReasons: readonly unknown[] = [
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
];

/** Nothing is written, and the same call can succeed a moment later. */
function isBusy(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof TransactionCanceledException)) return busyErrors.includes(error.name);
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
  return (
    codes.some((code) => busyReasons.includes(code)) &&
    codes.every((code) => code === 'None' || busyReasons.includes(code))
  );
}
